#pragma once

#if defined(__AVX512F__)
#define ASSAY_SIMT_WIDE_REGISTERS                                                               \
  "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",     \
      "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", \
      "k6", "k7",
#else
#define ASSAY_SIMT_WIDE_REGISTERS
#endif

namespace assay::simt {

/// Where a suspended fiber goes on. Nothing is pushed on its stack, so the red zone stays intact.
struct MachineContext {
  void* stack = nullptr;
  void* resume = nullptr;
  void* frame = nullptr;
};

/// Leaves the running fiber in `from` and goes on in `to`. A jump instead of call and ret keeps the
/// processor's return predictor in step. Fibers of one kernel suspend at the same call depth, so
/// the returns that follow are predicted right.
[[gnu::always_inline]] inline void switch_context(MachineContext& from, const MachineContext& to) {
#if defined(__x86_64__)
  MachineContext* from_pointer = &from;
  const MachineContext* to_pointer = &to;
  // Every register is clobbered. The compiler spills only what it needs, which is less than all.
  // rbp cannot be in the list of a function that uses it as its frame.
  asm volatile(
      "movq %%rsp, 0(%0)\n\t"
      "leaq 1f(%%rip), %%rax\n\t"
      "movq %%rax, 8(%0)\n\t"
      "movq %%rbp, 16(%0)\n\t"
      "movq 16(%1), %%rbp\n\t"
      "movq 0(%1), %%rsp\n\t"
      "jmpq *8(%1)\n"
      "1:\n\t"
      : "+D"(from_pointer), "+S"(to_pointer)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",
        "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
        "xmm12", "xmm13", "xmm14", "xmm15", ASSAY_SIMT_WIDE_REGISTERS "st", "st(1)", "st(2)",
        "st(3)", "st(4)", "st(5)", "st(6)", "st(7)", "cc", "memory");
#elif defined(__aarch64__)
  register MachineContext* from_pointer asm("x0") = &from;
  register const MachineContext* to_pointer asm("x1") = &to;
  asm volatile(
      "mov x9, sp\n\t"
      "adr x10, 1f\n\t"
      "stp x9, x10, [x0]\n\t"
      "str x29, [x0, #16]\n\t"
      "ldr x29, [x1, #16]\n\t"
      "ldp x9, x10, [x1]\n\t"
      "mov sp, x9\n\t"
      "br x10\n"
      "1:\n\t"
      : "+r"(from_pointer), "+r"(to_pointer)
      :
      : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
        "x16", "x17", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30",
        "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",
        "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
        "v27", "v28", "v29", "v30", "v31", "cc", "memory");
#else
#error "simt knows the registers of x86-64 and aarch64 only"
#endif
}

}  // namespace assay::simt

#undef ASSAY_SIMT_WIDE_REGISTERS
