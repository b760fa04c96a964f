// Signals that a kernel raises, turned into findings. The handler touches nothing but the faulting
// fiber, which it sends to fail_after_fault() on that fiber's own, now empty, stack.
#include "fault.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "block.hpp"
#include "error_codes.hpp"

namespace assay::simt {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr std::size_t kAlternateStackBytes = std::size_t{64} << 10U;
constexpr std::uintptr_t kGuardBytes = 4096;

std::atomic<bool> catching{false};
struct sigaction previous[sizeof kSignals / sizeof kSignals[0]];

struct Fault {
  int signal;
  std::uintptr_t address;
};
__thread Fault fault;

/// Unmaps itself when its thread ends.
class AlternateStack {
 public:
  AlternateStack() {
    memory_ = mmap(nullptr, kAlternateStackBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) return;
    stack_t stack{};
    stack.ss_sp = memory_;
    stack.ss_size = kAlternateStackBytes;
    sigaltstack(&stack, nullptr);
  }
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;
  ~AlternateStack() {
    if (memory_ == MAP_FAILED) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    munmap(memory_, kAlternateStackBytes);
  }

 private:
  void* memory_;
};

Block* running_block() {
  return static_cast<Block*>(assay_simt_context.scheduler);
}

[[noreturn]] void fail_after_fault() {
  Block& block = *running_block();
  const auto bottom = reinterpret_cast<std::uintptr_t>(block.running_fiber().bottom);
  const std::uintptr_t address = fault.address;
  if (fault.signal == SIGFPE) {
    block.fail(finding_here(ASSAY_SIMT_ILLEGAL_INSTRUCTION, 0, "integer division by zero"),
               kIllegalInstruction);
  }
  if (fault.signal == SIGILL) {
    block.fail(
        finding_here(ASSAY_SIMT_ILLEGAL_INSTRUCTION, 0, "an instruction that does not exist"),
        kIllegalInstruction);
  }
  if (address < bottom && address >= bottom - kGuardBytes) {
    block.fail(
        finding_here(ASSAY_SIMT_STACK_OVERFLOW, 0,
                     "the thread needs more than %zu KiB of local memory", kStackBytes / 1024),
        kHardwareStackError);
  }
  assay_simt_finding finding =
      finding_here(ASSAY_SIMT_WILD_ACCESS, 0, "access to the address 0x%llx, where no memory is",
                   static_cast<unsigned long long>(address));
  finding.address = address;
  block.fail(finding, kIllegalAddress);
}

void redirect(ucontext_t& context, const Fiber& fiber) {
  const MachineContext fresh = fresh_context(fiber.top, &fail_after_fault);
#if defined(__x86_64__)
  context.uc_mcontext.gregs[REG_RSP] = reinterpret_cast<greg_t>(fresh.stack);
  context.uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(fresh.resume);
#elif defined(__aarch64__)
  context.uc_mcontext.sp = reinterpret_cast<std::uintptr_t>(fresh.stack);
  context.uc_mcontext.pc = reinterpret_cast<std::uintptr_t>(fresh.resume);
#endif
}

void handle(int signal, siginfo_t* info, void* context) {
  Block* block = running_block();
  if (block == nullptr) {
    // Not in a kernel: whoever was in charge before gets the fault when the instruction repeats.
    for (std::size_t i = 0; i < sizeof kSignals / sizeof kSignals[0]; ++i) {
      if (kSignals[i] == signal) sigaction(signal, &previous[i], nullptr);
    }
    return;
  }
  fault = {signal, reinterpret_cast<std::uintptr_t>(info->si_addr)};
  redirect(*static_cast<ucontext_t*>(context), block->running_fiber());
}

}  // namespace

void prepare_thread_for_faults() {
  if (!catching.load(std::memory_order_relaxed)) return;
  static thread_local AlternateStack stack;
  static_cast<void>(stack);
}

}  // namespace assay::simt

extern "C" int assay_simt_catch_faults() {
  using namespace assay::simt;
  if (catching.exchange(true)) return 0;
  struct sigaction action{};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < sizeof kSignals / sizeof kSignals[0]; ++i) {
    if (sigaction(kSignals[i], &action, &previous[i]) != 0) return errno;
  }
  return 0;
}
