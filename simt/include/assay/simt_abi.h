/* What a compiled kernel module and whoever loads it agree on. Plain C: the native runner includes
 * it too. Load libassay_simt.so with RTLD_NOW | RTLD_GLOBAL before any module. */
#ifndef ASSAY_SIMT_ABI_H
#define ASSAY_SIMT_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_SIMT_ABI_VERSION 1u
#define ASSAY_SIMT_MODULE_SYMBOL "assay_simt_module_v1"
#define ASSAY_SIMT_MAX_FINDINGS 8

/* How a parameter is passed; `size` and `align` complete it. */
typedef enum assay_simt_kind {
  ASSAY_SIMT_POINTER = 0,
  ASSAY_SIMT_SIGNED = 1,
  ASSAY_SIMT_UNSIGNED = 2,
  ASSAY_SIMT_FLOAT = 3, /* float or double, by size */
  ASSAY_SIMT_BOOL = 4,
  ASSAY_SIMT_HALF = 5,
  ASSAY_SIMT_BFLOAT16 = 6,
  ASSAY_SIMT_STRUCT = 7, /* anything else that is copied byte by byte */
  ASSAY_SIMT_VOID = 8,   /* only as the pointee of a pointer */
  ASSAY_SIMT_FP8_E4M3 = 9,
  ASSAY_SIMT_FP8_E5M2 = 10
} assay_simt_kind;

typedef struct assay_simt_param {
  uint32_t kind; /* assay_simt_kind */
  uint32_t size; /* bytes */
  uint32_t align;
  uint32_t pointee_kind; /* pointers only: assay_simt_kind of what is pointed to */
  uint32_t pointee_size; /* pointers only: 0 for void */
  uint32_t pointee_const;
} assay_simt_param;

/* What to look for while a kernel runs; a bit set. All need a module compiled with instrumentation
 * (assay_simt_module.instrumented). */
#define ASSAY_SIMT_SANITIZE_MEMORY 1u
#define ASSAY_SIMT_SANITIZE_RACE 2u
#define ASSAY_SIMT_SANITIZE_INIT 4u
#define ASSAY_SIMT_SANITIZE_SYNC 8u

/* One array the kernel may touch. */
typedef struct assay_simt_allocation {
  void* base;
  uint64_t size;         /* bytes */
  const char* name;      /* as the report calls it; copied */
  uint32_t element_size; /* bytes; 0 means 1 */
  uint32_t initialised;  /* 0: a read before the first write is a finding under `init` */
} assay_simt_allocation;

/* All zero is a valid set of options: natural order, nothing sanitized, all cores. */
typedef struct assay_simt_launch_options {
  uint64_t seed;     /* 0: natural order of blocks and threads; else a shuffle this value names */
  uint32_t sanitize; /* ASSAY_SIMT_SANITIZE_* */
  uint32_t threads;  /* OS threads to use; 0: one per core this process may run on */
  const assay_simt_allocation* allocations; /* when `sanitize` has memory, race or init */
  size_t allocation_count;
  uint32_t cooperative;      /* all blocks resident at once: grid-wide barriers work */
  uint32_t max_shared_bytes; /* limit on dynamic shared memory; 0: what the device can opt in to */
} assay_simt_launch_options;

typedef enum assay_simt_finding_kind {
  ASSAY_SIMT_FOUND_NOTHING = 0,
  ASSAY_SIMT_OUT_OF_BOUNDS = 1,
  ASSAY_SIMT_MISALIGNED = 2,
  ASSAY_SIMT_UNINITIALISED_READ = 3,
  ASSAY_SIMT_RACE = 4,
  ASSAY_SIMT_BARRIER_DIVERGENCE = 5, /* a barrier some threads of the block did not reach */
  ASSAY_SIMT_DEADLOCK = 6,           /* threads wait for one another: hardware would hang */
  ASSAY_SIMT_WILD_ACCESS = 7,        /* an address no allocation holds */
  ASSAY_SIMT_STACK_OVERFLOW = 8,     /* more local memory than a thread has */
  ASSAY_SIMT_TRAP = 9,
  ASSAY_SIMT_ASSERT = 10,
  ASSAY_SIMT_INVALID_LAUNCH = 11,
  ASSAY_SIMT_ILLEGAL_INSTRUCTION = 12,
  ASSAY_SIMT_WARP_MISUSE = 13, /* a warp operation whose mask and callers do not agree */
  ASSAY_SIMT_UNSUPPORTED = 14  /* what this device cannot do */
} assay_simt_finding_kind;

typedef enum assay_simt_space {
  ASSAY_SIMT_SPACE_UNKNOWN = 0,
  ASSAY_SIMT_SPACE_GLOBAL = 1,
  ASSAY_SIMT_SPACE_SHARED = 2,
  ASSAY_SIMT_SPACE_LOCAL = 3
} assay_simt_space;

typedef struct assay_simt_place {
  uint32_t thread[3];
  uint32_t block[3];
  uint32_t line; /* in the user's source; 0: not known */
  uint32_t is_write;
  uint32_t is_atomic;
} assay_simt_place;

typedef struct assay_simt_finding {
  uint32_t kind;    /* assay_simt_finding_kind */
  uint32_t space;   /* assay_simt_space */
  int64_t index;    /* element of `array`, may lie outside it */
  uint64_t address; /* 0 where there is none */
  uint32_t access_size;
  uint32_t has_other; /* `other` is filled in: the second party of a race or a divergence */
  assay_simt_place place;
  assay_simt_place other;
  char array[64]; /* empty: not known */
  char message[256];
} assay_simt_finding;

typedef struct assay_simt_report {
  int32_t status;         /* a cudaError_t: 0 when the kernel ran to its end */
  uint32_t finding_count; /* filled in below */
  uint64_t finding_total; /* met, the ones that did not fit included */
  assay_simt_finding findings[ASSAY_SIMT_MAX_FINDINGS];
} assay_simt_report;

struct assay_simt_kernel;

/* args[i] points to the value of parameter i, in the parameter's own type. Returns
 * report->status. */
typedef int (*assay_simt_launch_fn)(const struct assay_simt_kernel* kernel, const uint32_t grid[3],
                                    const uint32_t block[3], uint64_t shared_bytes, void** args,
                                    const assay_simt_launch_options* options,
                                    assay_simt_report* report);

typedef struct assay_simt_kernel {
  const char* name; /* with its namespaces, without template arguments unless asked for by one */
  uint32_t line;
  uint32_t param_count;
  const assay_simt_param* params;
  assay_simt_launch_fn launch;
} assay_simt_kernel;

typedef struct assay_simt_module {
  uint32_t abi_version;
  uint32_t instrumented; /* non-zero: loads and stores report to the runtime */
  size_t kernel_count;
  const assay_simt_kernel* const* kernels;
} assay_simt_module;

typedef const assay_simt_module* (*assay_simt_module_fn)(void);

/* From here: exported by libassay_simt.so. */
#pragma GCC visibility push(default)

/* Turns SIGSEGV, SIGBUS, SIGFPE and SIGILL inside a kernel into a finding and a failed launch.
 * Faults outside kernels go to whatever handled them before. For processes of our own only: it
 * changes signal dispositions of the whole process. Returns 0, or an errno. */
int assay_simt_catch_faults(void);

/* How kernels that host code of this process launches with <<<>>> and its like run from now on:
 * seed, sanitize and threads of `options` count. The arrays checked are those from cudaMalloc and
 * its relatives, and those declared. NULL: as at first, natural order and no checks. */
void assay_simt_configure_host_launches(const assay_simt_launch_options* options);
/* What was found in such launches since the last call; its status is the first failure. */
void assay_simt_take_host_report(assay_simt_report* report);

/* Makes memory that came from elsewhere an array for the checks of such launches; what was declared
 * before and lies in the same place is forgotten. An array without a name is called by the argument
 * of the kernel that points to it. */
void assay_simt_declare_array(const assay_simt_allocation* array);
void assay_simt_forget_array(const void* base);

/* The name CUDA gives to an error code ("cudaErrorInvalidValue"). */
const char* assay_simt_error_name(int status);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
