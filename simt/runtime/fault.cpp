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
#include "line_table.hpp"
#include "wild_access.hpp"

namespace assay::simt {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr std::size_t kAlternateStackBytes = std::size_t{64} << 10U;
constexpr std::uintptr_t kGuardBytes = 4096;

std::atomic<bool> catching{false};
struct sigaction previous[sizeof kSignals / sizeof kSignals[0]];

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
  const std::uint32_t line = line_of(fault.code, block.launch().spec().file);
  if (fault.signal == SIGFPE) {
    block.fail(finding_here(ASSAY_SIMT_ILLEGAL_INSTRUCTION, line, "integer division by zero"),
               kIllegalInstruction);
  }
  if (fault.signal == SIGILL) {
    block.fail(
        finding_here(ASSAY_SIMT_ILLEGAL_INSTRUCTION, line, "an instruction that does not exist"),
        kIllegalInstruction);
  }
  if (address < bottom && address >= bottom - kGuardBytes) {
    block.fail(
        finding_here(ASSAY_SIMT_STACK_OVERFLOW, line,
                     "the thread needs more than %zu KiB of local memory", kStackBytes / 1024),
        kHardwareStackError);
  }
  block.fail(wild_access(block, fault), kIllegalAddress);
}

/// What the processor tells about a fault beside its address.
Fault read_fault(int signal, const siginfo_t& info, const ucontext_t& context) {
  Fault read{};
  read.signal = signal;
  read.address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  read.has_address = info.si_code != SI_KERNEL;
#if defined(__x86_64__)
  constexpr greg_t kWriteFault = 2;
  read.is_write = (context.uc_mcontext.gregs[REG_ERR] & kWriteFault) != 0;
  read.code = reinterpret_cast<const void*>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  read.code = reinterpret_cast<const void*>(context.uc_mcontext.pc);
#endif
  return read;
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
  auto& state = *static_cast<ucontext_t*>(context);
  fault = read_fault(signal, *info, state);
  redirect(state, block->running_fiber());
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
