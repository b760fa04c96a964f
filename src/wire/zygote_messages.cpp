#include "wire/zygote_messages.hpp"

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/result.hpp"
#include "model/device_info.hpp"
#include "model/python_zygote.hpp"
#include "wire/base64.hpp"
#include "wire/fields.hpp"
#include "wire/json_text.hpp"

namespace assay::wire {
namespace {

ForkReport read_report(const Json& json) {
  const std::string kind = json.at("report");
  if (kind == "init") return InitWaiting{};
  if (kind == "started") return RunnerStarted{};
  if (kind == "ready") return RunnerReady{};
  if (kind == "failed") return ForkFailed{json.at("reason")};
  if (kind != "ended") throw std::invalid_argument("unknown kind of report");
  return RunnerEnded{.wait_status = json.at("status"), .peak_memory_bytes = json.at("peak_bytes")};
}

}  // namespace

Result<ZygoteHello> decode_zygote_hello(std::string_view text) {
  return read_guarded(
      ErrorCode::unavailable, "the greeting of the Python zygote", text, [&](const Json& json) {
        if (json.at("hello") != "ready") throw std::runtime_error(json.at("reason"));
        return ZygoteHello{
            .python = json.at("python"),
            .versions = json.at("versions").get<std::map<std::string, std::string>>(),
            .missing = json.at("missing").get<std::vector<std::string>>()};
      });
}

std::string encode_fork_request(const ForkRequest& request) {
  const ForkLimits& limits = request.limits;
  return dump({{"op", "fork"},
               {"device", to_string(request.device)},
               {"limits",
                {{"memory_bytes", limits.memory_bytes},
                 {"processes", limits.processes},
                 {"tmp_bytes", limits.tmp_bytes},
                 {"file_bytes", limits.file_bytes},
                 {"open_files", limits.open_files},
                 {"cpu_seconds", limits.cpu_seconds}}},
               {"filter", encode_base64(request.filter)},
               {"environment", request.environment}});
}

Result<ForkReport> decode_fork_report(std::string_view text) {
  return read_guarded(ErrorCode::internal, "a report of a Python runner's init", text, read_report);
}

}  // namespace assay::wire
