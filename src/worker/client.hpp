#pragma once

#include <stop_token>

#include "base/result.hpp"
#include "model/device_info.hpp"
#include "model/task.hpp"

namespace assay::worker {

using Task = EvaluationTask;

/// The server's side of one device: sends it evaluations, one at a time.
class Client {
 public:
  Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  Client(Client&&) = delete;
  Client& operator=(Client&&) = delete;
  virtual ~Client() = default;

  /// Fails with `unavailable` when the worker died or its device did not work. Fails with
  /// `resource_exhausted` when the machine lacked something else. After both, the attempt can be
  /// repeated. Fails with `cancelled` when stopped; the runners are dead then.
  [[nodiscard]] virtual Result<EvaluationEnd> evaluate(const Task& task,
                                                       const EvaluationListener& listener,
                                                       const std::stop_token& stop) = 0;
  [[nodiscard]] virtual const DeviceInfo& device() const = 0;
};

}  // namespace assay::worker
