#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "http/server.hpp"
#include "queue/dispatcher.hpp"
#include "store/job_store.hpp"

namespace assay::api {

/// How answers of the compatible API name this machine.
struct HostInfo {
  std::string name;
  std::string ip;
};

[[nodiscard]] HostInfo this_host();

/// What the routes work with; all of it outlives them.
struct Context {
  queue::Dispatcher& dispatcher;
  store::JobStore& store;
  const Clock& clock;
  const Log& log;
  HostInfo host;
  std::chrono::seconds longest_wait{3600};  // of a blocking route, the queue included
};

}  // namespace assay::api
