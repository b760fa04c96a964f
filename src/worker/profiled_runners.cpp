#include "worker/profiled_runners.hpp"

#include <chrono>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "eval/runner.hpp"
#include "model/python_protocol.hpp"
#include "model/runner_protocol.hpp"
#include "process/frame_channel.hpp"
#include "process/jail_profile.hpp"
#include "process/subprocess.hpp"
#include "wire/python_messages.hpp"
#include "worker/exchange.hpp"
#include "worker/python_command.hpp"
#include "worker/python_runner.hpp"
#include "worker/runner_output.hpp"
#include "worker/runner_process.hpp"

namespace assay::worker {
namespace {

constexpr int kChannelDescriptor = 3;

/// A Python of its own under a profiler (python/assay_runner/profiled.py).
class ProfiledPython final : public eval::PythonRunner {
 public:
  using LetGo = std::function<void(process::Subprocess, std::string)>;

  ProfiledPython(process::Subprocess process, process::FrameChannel channel, RunnerOutput output,
                 LetGo let_go)
      : process_(std::move(process)),
        channel_(std::move(channel)),
        output_(std::move(output)),
        let_go_(std::move(let_go)) {}
  ~ProfiledPython() override { let_go_(std::move(process_), output_.tail()); }
  ProfiledPython(const ProfiledPython&) = delete;
  ProfiledPython& operator=(const ProfiledPython&) = delete;
  ProfiledPython(ProfiledPython&&) = delete;
  ProfiledPython& operator=(ProfiledPython&&) = delete;

  [[nodiscard]] eval::Attempt<PythonReply> call(const PythonCommand& command,
                                                std::span<const int> descriptors,
                                                const eval::Bounds& bounds) override {
    auto text =
        exchange(process_, channel_, output_, wire::encode_command(command), descriptors, bounds);
    if (!text) return std::unexpected(std::move(text).error());
    return read_answer(*text, output_.tail());
  }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> cpu_time() const override {
    return std::nullopt;
  }

  [[nodiscard]] Result<void> await_start(const eval::Bounds& bounds) {
    auto text = channel_.receive(bounds.deadline, bounds.stop);
    const auto reply = text ? wire::decode_python_reply(*text) : std::unexpected(text.error());
    if (reply && std::holds_alternative<Done>(*reply)) return {};
    return fail(ErrorCode::unavailable,
                fmt::format("Python did not start under the profiler: {} {}",
                            reply ? "" : reply.error().message(), output_.tail()));
  }

 private:
  process::Subprocess process_;
  process::FrameChannel channel_;
  RunnerOutput output_;
  LetGo let_go_;
};

}  // namespace

void ProfiledRunners::let_go(process::Subprocess process, std::string printed) {
  ending_.emplace(std::move(process));
  printed_ = std::move(printed);
}

Result<std::unique_ptr<eval::Runner>> ProfiledRunners::fresh() {
  ASSAY_TRY(auto runner, RunnerProcess::spawn(options_, support_, &profiler_));
  RunnerProcess* const process = runner.get();
  runner->let_end([this, process](process::Subprocess ending) {
    let_go(std::move(ending), process->printed());
  });
  return runner;
}

Result<std::unique_ptr<eval::PythonRunner>> ProfiledRunners::fresh_python(
    const eval::Bounds& bounds) {
  if (!python_) return fail(ErrorCode::unavailable, "this worker was started without Python");
  ASSAY_TRY(auto ends, process::FrameChannel::pair());
  ASSAY_TRY(RunnerOutput output, RunnerOutput::create());
  process::Command command =
      python_command(*python_, support_, "from assay_runner.profiled import main; main()");
  command.argv.push_back(std::to_string(python_->limits.processes));
  command.descriptors = {
      {output.fd(), 1}, {output.fd(), 2}, {ends.second.get(), kChannelDescriptor}};
  put_before(profiler_, command);
  ASSAY_TRY(auto process, process::Subprocess::spawn(command, support_));
  ends.second.reset();  // so that we hear of its end
  auto runner =
      std::make_unique<ProfiledPython>(std::move(process), std::move(ends.first), std::move(output),
                                       [this](process::Subprocess ending, std::string printed) {
                                         let_go(std::move(ending), std::move(printed));
                                       });
  if (auto started = runner->await_start(bounds); !started) {
    return std::unexpected(started.error());
  }
  return runner;
}

}  // namespace assay::worker
