// What instrumented modules call instead of the C library's functions of these names (the linker's
// --wrap): copies are checked like loads and stores, and memory from the device heap is known.
#include <cstdlib>
#include <cstring>
#include <new>

#include "api_state.hpp"
#include "block.hpp"

namespace assay::simt {
namespace {

Sanitizer* running_sanitizer() {
  auto* block = static_cast<Block*>(assay_simt_context.scheduler);
  return block != nullptr ? block->launch().sanitizer() : nullptr;
}

void* noted(void* memory, std::size_t bytes) {
  Sanitizer* sanitizer = running_sanitizer();
  if (sanitizer == nullptr || memory == nullptr) return memory;
  sanitizer->add_heap(memory, bytes);
  // For launches to come; what this one leaves unwritten is not followed any further.
  Allocations::instance().add(memory, {bytes, cudaMemoryTypeHost, true, "the device heap"});
  return memory;
}

void forget(void* memory) {
  Sanitizer* sanitizer = running_sanitizer();
  if (sanitizer == nullptr || memory == nullptr) return;
  sanitizer->remove_heap(memory);
  static_cast<void>(Allocations::instance().remove(memory));
}

}  // namespace
}  // namespace assay::simt

using namespace assay::simt;

#pragma GCC visibility push(default)
extern "C" {

void* __wrap_memcpy(void* to, const void* from, std::size_t bytes) {
  assay_simt_access(const_cast<void*>(from), bytes, kBytesRead, __builtin_return_address(0));
  assay_simt_access(to, bytes, kBytesWrite, __builtin_return_address(0));
  return std::memcpy(to, from, bytes);
}
void* __wrap_memmove(void* to, const void* from, std::size_t bytes) {
  assay_simt_access(const_cast<void*>(from), bytes, kBytesRead, __builtin_return_address(0));
  assay_simt_access(to, bytes, kBytesWrite, __builtin_return_address(0));
  return std::memmove(to, from, bytes);
}
void* __wrap_memset(void* to, int value, std::size_t bytes) {
  assay_simt_access(to, bytes, kBytesWrite, __builtin_return_address(0));
  return std::memset(to, value, bytes);
}

void* __wrap_malloc(std::size_t bytes) {
  return noted(std::malloc(bytes), bytes);
}
void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  return noted(std::calloc(count, bytes), count * bytes);
}
void __wrap_free(void* memory) {
  forget(memory);
  std::free(memory);
}
// operator new and delete, plain and for arrays, with and without a size.
void* __wrap__Znwm(std::size_t bytes) {
  return noted(::operator new(bytes), bytes);
}
void* __wrap__Znam(std::size_t bytes) {
  return noted(::operator new[](bytes), bytes);
}
void __wrap__ZdlPv(void* memory) {
  forget(memory);
  ::operator delete(memory);
}
void __wrap__ZdlPvm(void* memory, std::size_t) {
  __wrap__ZdlPv(memory);
}
void __wrap__ZdaPv(void* memory) {
  forget(memory);
  ::operator delete[](memory);
}
void __wrap__ZdaPvm(void* memory, std::size_t) {
  __wrap__ZdaPv(memory);
}
}
#pragma GCC visibility pop
