#include "cli/preparation.hpp"

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "compile/builder.hpp"

namespace assay::cli {
namespace {

constexpr std::chrono::milliseconds kLook{300};  // whether it is there
constexpr std::chrono::minutes kLongestPreparation{15};

}  // namespace

Preparation::Preparation(compile::Builder& builder, std::vector<Item> items, const Clock& clock,
                         const Log& log)
    : builder_(builder), clock_(clock), log_(log) {
  std::vector<Item> missing;
  {
    const MutexLock lock(mutex_);
    for (const Item& item : items) {
      const std::string what = builder.preparation(item.type, item.device);
      if (what.empty()) continue;
      const auto ready = builder.prepare(item.type, item.device, Deadline(clock, kLook), {});
      if (ready) continue;
      missing.push_back(item);
      pending_.push_back(what);
    }
  }
  if (missing.empty()) return;
  thread_ = std::jthread(
      [this, missing = std::move(missing)](const std::stop_token& stop) { work(missing, stop); });
}

std::vector<std::string> Preparation::pending() const {
  const MutexLock lock(mutex_);
  return pending_;
}

void Preparation::work(const std::vector<Item>& missing, const std::stop_token& stop) {
  for (const Item& item : missing) {
    const std::string what = builder_.preparation(item.type, item.device);
    log_.info("prepare", "{}", what);
    const SteadyTime begun = clock_.now();
    const auto done =
        builder_.prepare(item.type, item.device, Deadline(clock_, kLongestPreparation), stop);
    const auto spent = std::chrono::duration<double>(clock_.now() - begun).count();
    if (stop.stop_requested()) return;
    if (done) {
      log_.info("prepare", "{}: done after {:.0f} s", what, spent);
    } else {
      log_.warning("prepare", "{}: {}; the first kernel that needs it tries again", what,
                   done.error().message());
    }
    const MutexLock lock(mutex_);
    pending_.erase(pending_.begin());
  }
  log_.info("prepare", "ready: everything that is made once has been made");
}

}  // namespace assay::cli
