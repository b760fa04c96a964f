#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace assay::process {

struct Exited {
  int code;
  friend bool operator==(const Exited&, const Exited&) = default;
};

struct Signalled {
  int signal;
  friend bool operator==(const Signalled&, const Signalled&) = default;
};

/// The kernel killed something in the jail for memory, and the program did not succeed.
struct OverMemory {
  std::uint64_t limit_bytes;
  friend bool operator==(const OverMemory&, const OverMemory&) = default;
};

using ExitStatus = std::variant<Exited, Signalled, OverMemory>;

/// For people: "exited with code 3", "killed by SIGSEGV (segmentation fault)".
[[nodiscard]] std::string describe(const ExitStatus& status);

/// From what waitpid stored.
[[nodiscard]] ExitStatus from_wait_status(int wait_status);

}  // namespace assay::process
