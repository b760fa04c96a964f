#pragma once

#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "compile/builder.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"

namespace assay::cli {

/// Makes what builds of some kinds need once per installation. It works in the background, on one
/// after the other. The log says what it does and how long it took.
class Preparation {
 public:
  struct Item {
    KernelType type;
    DeviceKind device;
  };

  /// Returns when it is known what is missing, which takes a moment. All outlive this.
  Preparation(compile::Builder& builder, std::vector<Item> items, const Clock& clock,
              const Log& log);

  /// What is not done yet, in words; the first is being made.
  [[nodiscard]] std::vector<std::string> pending() const;

 private:
  void work(const std::vector<Item>& missing, const std::stop_token& stop);

  compile::Builder& builder_;
  const Clock& clock_;
  const Log& log_;
  mutable Mutex mutex_;
  std::vector<std::string> pending_ ASSAY_GUARDED_BY(mutex_);
  std::jthread thread_;  // last: it uses all above
};

}  // namespace assay::cli
