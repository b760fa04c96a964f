// Like the C library's, without an include guard: NDEBUG may change between two inclusions.
#undef assert
#ifdef NDEBUG
#define assert(condition) (static_cast<void>(0))
#else
#define assert(...)                     \
  ((__VA_ARGS__) ? static_cast<void>(0) \
                 : assay_simt_assert_fail(#__VA_ARGS__, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
extern "C" [[noreturn]] void assay_simt_assert_fail(const char* expression, const char* file,
                                                    unsigned line, const char* function);
// What device code and torch's CUDA_KERNEL_ASSERT call by its own name.
#undef __assert_fail
#define __assert_fail assay_simt_assert_fail
