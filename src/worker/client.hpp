#pragma once

#include <functional>
#include <stop_token>

#include "base/result.hpp"
#include "model/device_info.hpp"
#include "model/job.hpp"
#include "model/outcome.hpp"
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

  /// Reports `checked` and the like through `on_step` as they happen. Fails with `unavailable`
  /// when the worker died (the attempt can be repeated) and `cancelled` when stopped, after the
  /// runners are dead.
  [[nodiscard]] virtual Result<Outcome> evaluate(const Task& task,
                                                 const std::function<void(JobStep)>& on_step,
                                                 const std::stop_token& stop) = 0;
  [[nodiscard]] virtual const DeviceInfo& device() const = 0;
};

}  // namespace assay::worker
