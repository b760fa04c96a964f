#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "access/gate.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "http/own_site.hpp"
#include "model/device_info.hpp"
#include "queue/dispatcher.hpp"
#include "queue/placement.hpp"
#include "store/job_store.hpp"

namespace assay::api {

/// How answers of the compatible API name this machine.
struct HostInfo {
  std::string name;
  std::string ip;
  std::string gpu_type;  // "a100", "h100" or "h200"; empty for every other device
};

[[nodiscard]] HostInfo this_host(std::span<const DeviceInfo> devices);

/// The type of the first device whose name tells one that the compatible API knows.
[[nodiscard]] std::string gpu_type_of(std::span<const DeviceInfo> devices);

/// What the routes work with; all of it outlives them.
struct Context {
  queue::Dispatcher& dispatcher;
  store::JobStore& store;
  const Clock& clock;
  const Log& log;
  HostInfo host;
  http::OwnSite site;
  std::chrono::seconds longest_wait{3600};  // of a blocking route, the queue included
  /// What is still being made once for this installation, in words.
  std::function<std::vector<std::string>()> preparing = [] { return std::vector<std::string>(); };
  /// What is wrong with the counters that a request names, on the device it would run on.
  queue::MetricsMistake metrics_mistake = [](const auto&, const auto&) { return std::nullopt; };
  access::Gate* gate = nullptr;          // null: everybody may do everything
  std::vector<std::string> weak_jail{};  // parts that kernels' jails have to do without
};

}  // namespace assay::api
