#include "worker/extension_finder.hpp"

#include <expected>
#include <memory>
#include <stop_token>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "eval/runner.hpp"
#include "model/extension.hpp"
#include "model/kernel.hpp"
#include "model/python_protocol.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"
#include "wire/python_messages.hpp"
#include "worker/python_command.hpp"
#include "worker/python_package.hpp"
#include "worker/python_process.hpp"
#include "worker/python_zygote.hpp"

namespace assay::worker {

Result<std::unique_ptr<PythonProcess>> JailedExtensionFinder::fresh() {
  const MutexLock lock(mutex_);
  if (zygote_ == nullptr || !zygote_->alive()) {
    PythonOptions options = options_;
    ASSAY_TRY(options.package, write_python_package(package_parent_));
    ASSAY_TRY(zygote_, PythonZygote::start(options, support_));
  }
  return zygote_->fork();
}

Result<std::variant<std::vector<ExtensionCall>, Verdict>> JailedExtensionFinder::find(
    const Kernel& kernel, const Deadline& deadline, const std::stop_token& stop) {
  ASSAY_TRY(const auto process, fresh());
  const eval::Bounds bounds{deadline, stop};
  auto text =
      process->call(wire::encode_command(PythonCommand(DiscoverCommand{&kernel})), {}, bounds);
  if (!text) {
    if (const auto* error = std::get_if<Error>(&text.error())) {
      if (error->code() != ErrorCode::deadline_exceeded) return std::unexpected(*error);
      return Verdict(TimedOut{.limit = {}, .phase = "building"});
    }
    return std::get<eval::Fate>(std::move(text).error()).verdict;
  }
  auto reply = wire::decode_python_reply(*text);
  if (reply) {
    if (auto* found = std::get_if<Discovered>(&*reply)) return std::move(found->calls);
    if (auto* refused = std::get_if<Refused>(&*reply)) return std::move(refused->verdict);
  }
  return Verdict(
      Tampered{.rule = "protocol", .reason = "the runner sent a frame that is no reply"});
}

}  // namespace assay::worker
