#include "process/exit_status.hpp"

#include <cctype>
#include <cstdint>
#include <string>
#include <variant>

#include <fmt/core.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

namespace assay::process {
namespace {

std::string describe_signal(int signal) {
  const char* name = ::sigabbrev_np(signal);
  const char* meaning = ::sigdescr_np(signal);
  if (name == nullptr || meaning == nullptr) return fmt::format("killed by signal {}", signal);
  std::string text = meaning;
  text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return fmt::format("killed by SIG{} ({})", name, text);
}

struct Describe {
  std::string operator()(const Exited& exited) const {
    return fmt::format("exited with code {}", exited.code);
  }
  std::string operator()(const Signalled& signalled) const {
    return describe_signal(signalled.signal);
  }
  std::string operator()(const OverMemory& over) const {
    constexpr std::uint64_t kMebibyte = 1U << 20U;
    return fmt::format("killed for using more than {} MiB of memory", over.limit_bytes / kMebibyte);
  }
};

}  // namespace

std::string describe(const ExitStatus& status) {
  return std::visit(Describe{}, status);
}

ExitStatus from_wait_status(int wait_status) {
  if (WIFSIGNALED(wait_status)) return Signalled{WTERMSIG(wait_status)};
  return Exited{WEXITSTATUS(wait_status)};
}

}  // namespace assay::process
