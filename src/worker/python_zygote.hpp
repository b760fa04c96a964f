#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "device/gpu_files.hpp"
#include "model/device_info.hpp"
#include "model/python_zygote.hpp"
#include "process/frame_channel.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "process/subprocess.hpp"
#include "process/weak_jail.hpp"
#include "python/interpreter.hpp"
#include "worker/python_command.hpp"
#include "worker/python_process.hpp"

namespace assay::worker {

/// Asks the interpreter, in the jail a zygote would have, which parts of the inner jail it cannot
/// build. Takes a tenth of a second: nothing is imported.
[[nodiscard]] Result<process::PartNames> probe_inner_jail(const PythonOptions& options,
                                                          const process::JailSupport& support,
                                                          const Clock& clock);

/// The name of a part of the inner jail, to tell it from a part of the outer one.
[[nodiscard]] std::string inner_part(std::string_view name);

/// A jailed Python that has imported torch and forks a runner whenever asked
/// (python/assay_runner/zygote.py). Once it has died it forks no more.
class PythonZygote {
 public:
  /// Takes as long as importing torch does. Fails with `unavailable` and what Python said, or
  /// `cancelled`.
  [[nodiscard]] static Result<std::unique_ptr<PythonZygote>> start(
      const PythonOptions& options, const process::JailSupport& support,
      const std::stop_token& stop = {});

  [[nodiscard]] const ZygoteHello& hello() const { return hello_; }
  /// The parts of the inner jail that its runners lack.
  [[nodiscard]] process::PartNames missing() const;
  [[nodiscard]] bool alive();
  /// May be called from several threads.
  [[nodiscard]] Result<std::unique_ptr<PythonProcess>> fork(const std::stop_token& stop = {});

 private:
  PythonZygote(const PythonOptions& options, const process::JailSupport& support,
               process::Subprocess process, process::FrameChannel requests)
      : options_(options),
        support_(support),
        process_(std::move(process)),
        requests_(std::move(requests)) {}

  const PythonOptions options_;
  const process::JailSupport& support_;
  ZygoteHello hello_;
  Mutex mutex_;
  process::Subprocess process_ ASSAY_GUARDED_BY(mutex_);
  process::FrameChannel requests_ ASSAY_GUARDED_BY(mutex_);
};

}  // namespace assay::worker
