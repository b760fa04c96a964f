#include "worker/metrics_key.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/core.h>

#include "base/digest.hpp"
#include "base/os.hpp"
#include "base/version.hpp"
#include "eval/profiled_call.hpp"
#include "model/device_metrics.hpp"
#include "model/outcome.hpp"
#include "wire/value.hpp"
#include "worker/metrics_lane.hpp"

namespace assay::worker {
namespace {

constexpr std::string_view kFormat = "ncu-rep 1";
constexpr std::size_t kLargestModule = std::size_t{256} << 20U;
constexpr std::array<std::string_view, 3> kReference{"reference", "ref_kernel", "ref_code"};
constexpr std::array<std::string_view, 4> kCandidate{"kernel", "custom_kernel", "candidate",
                                                     "custom_code"};

void add_names(Hasher& hasher, std::span<const std::string> names) {
  hasher.field(std::to_string(names.size()));
  for (const std::string& name : names) hasher.field(name);
}

/// The kernels as the request has them: sources, contracts and what else says how they are called.
void add_members(Hasher& hasher, const wire::Value& body, std::span<const std::string_view> keys) {
  for (const auto& [key, value] : body.members()) {
    if (std::ranges::find(keys, key) != keys.end()) hasher.field(key).field(value.dump());
  }
}

bool add_file(Hasher& hasher, const std::filesystem::path& path) {
  const auto content = read_file(path, kLargestModule);
  if (content) hasher.field(sha256(*content).hex());
  return content.has_value();
}

bool add_build(Hasher& hasher, const BuiltKernel& built) {
  hasher.field(built.entry).field(built.compiler);
  std::error_code ignored;
  if (std::filesystem::is_regular_file(built.module, ignored) && !add_file(hasher, built.module)) {
    return false;
  }
  return std::ranges::all_of(built.extensions,
                             [&](const auto& file) { return add_file(hasher, file); });
}

/// Its path, size and age: an update changes one of them.
std::string identity_of(const std::filesystem::path& program) {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(program, ignored);
  const auto written = std::filesystem::last_write_time(program, ignored).time_since_epoch();
  return fmt::format("{} {} {}", program.string(), size, written.count());
}

}  // namespace

std::optional<Digest> metrics_key(const MetricsTask& task, eval::Side side,
                                  const std::string& kernels, const MetricsScope& scope) {
  const auto body = wire::Value::parse(task.body);
  if (!body) return std::nullopt;
  Hasher hasher;
  hasher.field(kFormat).field(version()).field(identity_of(scope.ncu)).field(scope.python);
  hasher.field(scope.device.name)
      .field(fmt::format("{}.{}", scope.device.compute.major, scope.device.compute.minor))
      .field(scope.device.driver);
  for (const auto* names : {&task.wanted.sets, &task.wanted.sections, &task.wanted.metrics}) {
    add_names(hasher, *names);
  }
  hasher.field(kernels).field(task.kernels.first_of_each_grid ? "first" : "all");
  hasher.field(std::to_string(task.runs));
  add_members(hasher, *body, kReference);
  if (task.input.reference && !add_build(hasher, *task.input.reference)) return std::nullopt;
  if (side == eval::Side::custom) {
    add_members(hasher, *body, kCandidate);
    if (!add_build(hasher, task.input.candidate)) return std::nullopt;
  }
  return hasher.finish();
}

}  // namespace assay::worker
