#include "tracer/recording.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "device/cupti_api.hpp"
#include "tracer/batch.hpp"
#include "tracer/call_names.hpp"
#include "tracer/gate.hpp"
#include "tracer/gpus.hpp"
#include "tracer/log.hpp"
#include "tracer/nsys_file.hpp"
#include "tracer/range_event.hpp"

namespace assay::tracer {
namespace {

/// Names are kept wherever they were given: what they name may come later.
bool is_name(EventType type) {
  return type == EventType::domain_create || type == EventType::category ||
         type == EventType::thread_name;
}

}  // namespace

Recording::Recording(NsysFile file, Gate& gate, Log log)
    : file_(std::move(file)), gate_(gate), log_(std::move(log)) {}

void Recording::write_work(const Batch& batch) {
  for (const auto& kernel : batch.kernels) file_.add(kernel);
  for (const auto& copy : batch.copies) file_.add(copy);
  for (const auto& copy : batch.peer_copies) file_.add(copy);
  for (const auto& fill : batch.fills) file_.add(fill);
  kernels_ += batch.kernels.size();
  others_ += batch.copies.size() + batch.peer_copies.size() + batch.fills.size();
}

void Recording::write_calls(const std::vector<device::cupti::CallRecord>& calls, CallNames& names) {
  for (const auto& call : calls) file_.add(call, names.find(call).name);
  calls_ += calls.size();
}

void Recording::write(Batch batch, const std::vector<RangeEvent>& events, CallNames* names,
                      std::int64_t until, bool last) {
  if (names != nullptr) {
    std::erase_if(batch.calls, [&](const auto& call) { return !names->find(call).wanted; });
    batch.calls = pairs_.sort(std::move(batch.calls));
    if (last) {
      for (const auto& call : pairs_.rest()) batch.calls.push_back(call);
    }
  }
  gate_.filter(batch, last);
  untimed_ += batch.untimed;
  unreadable_ += batch.unreadable;
  if (untimed_ > 0) {
    tell(Loss::untimed, std::to_string(untimed_) + " kernels or copies without times are left out");
  }
  if (unreadable_ > 0) {
    tell(Loss::unreadable, std::to_string(unreadable_) + " buffers of CUPTI could not be read");
  }
  file_.begin();
  if (batch.has_work() && !std::exchange(knows_gpus_, true)) {
    for (const Gpu& gpu : gpus_of_process()) file_.add(gpu);
  }
  write_work(batch);
  if (names != nullptr) write_calls(batch.calls, *names);
  for (const RangeEvent& event : events) {
    if (!is_name(event.type) && !gate_.is_open_at(event.start)) continue;
    file_.add(event);
    ++events_;
  }
  for (const auto& [loss, text] : told_) file_.warn(std::to_underlying(loss), text);
  file_.set_end(until);
  file_.commit(last);
  if (file_.lost() > 0) {
    tell(Loss::rows, std::to_string(file_.lost()) + " rows were not written: " + file_.failure());
  }
}

void Recording::tell(Loss loss, std::string text) {
  std::string& told = told_[loss];
  if (told == text) return;
  if (told.empty()) log_.problem(text);  // once: sum_up() says the last word
  told = std::move(text);
}

void Recording::sum_up() const {
  log_.say("recorded " + std::to_string(kernels_) + " kernels, " + std::to_string(others_) +
           " copies and memsets, " + std::to_string(calls_) + " calls, " + std::to_string(events_) +
           " rows of ranges");
  for (const auto& [loss, text] : told_) log_.say("in the end: " + text);
}

}  // namespace assay::tracer
