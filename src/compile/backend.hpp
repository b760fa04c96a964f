#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/result.hpp"
#include "compile/build_record.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"

namespace assay::compile {

struct Compilation {
  BuildRecord record;
  /// Whether the same source would end like this again. It need not if time or memory ran out.
  bool lasting = true;
};

/// Builds one type of kernel for one kind of device. Safe to use from several threads at once.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  Backend(Backend&&) = delete;
  Backend& operator=(Backend&&) = delete;
  virtual ~Backend() = default;

  [[nodiscard]] virtual KernelType type() const = 0;
  [[nodiscard]] virtual DeviceKind device() const = 0;

  /// Stands for everything beside the kernel that decides what comes out: compiler, flags, headers.
  [[nodiscard]] virtual Digest fingerprint() const = 0;

  /// Waits until builds can start, and returns the directory a runner needs beside the module.
  /// Getting there is our own work. So it is `unavailable` if that is not done by the deadline.
  [[nodiscard]] virtual Result<std::filesystem::path> wait_ready(const Deadline& deadline,
                                                                 const std::stop_token& stop) = 0;
  /// What is made until then, as Builder::preparation has it.
  [[nodiscard]] virtual std::string preparation() const { return {}; }

  /// Compiles into `directory`, which is empty and removed later. Fails only for reasons of ours.
  [[nodiscard]] virtual Result<Compilation> compile(const Kernel& kernel,
                                                    const std::filesystem::path& directory,
                                                    const Deadline& deadline,
                                                    const std::stop_token& stop) = 0;

  /// For people: what it builds with, "g++ 12.2.0 at /usr/bin/g++".
  [[nodiscard]] virtual std::string describe() const = 0;
};

}  // namespace assay::compile
