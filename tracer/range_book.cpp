#include "tracer/range_book.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "tracer/gate.hpp"
#include "tracer/range_event.hpp"

namespace assay::tracer {

void RangeBook::add(RangeEvent event) {
  if (ended_.size() >= kMost) {
    ++lost_;
    return;
  }
  ended_.push_back(std::move(event));
}

void RangeBook::open(const RangeEvent& event) {
  const std::uint32_t domain = event.domain < domains_.size() ? event.domain : 0;
  gate_.range_opened(event.label.text, domains_[domain], event.key, event.start);
}

void RangeBook::close(Open& range, std::int64_t time) {
  range.event.end = time;
  gate_.range_closed(range.event.key, time);
  add(std::move(range.event));
}

int RangeBook::push(std::uint32_t domain, std::uint32_t thread, std::int64_t time, Label label) {
  const MutexLock lock(mutex_);
  Stack& stack = stacks_[{thread, domain}];
  stack.push_back({.event = {.key = next_key_++,
                             .type = EventType::push_pop,
                             .start = time,
                             .label = std::move(label),
                             .domain = domain,
                             .thread = thread}});
  open(stack.back().event);
  return static_cast<int>(stack.size()) - 1;
}

int RangeBook::pop(std::uint32_t domain, std::uint32_t thread, std::int64_t time) {
  const MutexLock lock(mutex_);
  const auto found = stacks_.find({thread, domain});
  if (found == stacks_.end() || found->second.empty()) return -1;
  Stack& stack = found->second;
  close(stack.back(), time);
  stack.pop_back();
  return static_cast<int>(stack.size());
}

std::uint64_t RangeBook::start(std::uint32_t domain, std::uint32_t thread, std::int64_t time,
                               Label label) {
  const MutexLock lock(mutex_);
  const std::uint64_t id = next_key_++;
  Open& range = started_[id];
  range.event = {.key = id,
                 .type = EventType::start_end,
                 .start = time,
                 .label = std::move(label),
                 .domain = domain,
                 .thread = thread};
  open(range.event);
  return id;
}

void RangeBook::end(std::uint64_t id, std::uint32_t thread, std::int64_t time) {
  const MutexLock lock(mutex_);
  const auto found = started_.find(id);
  if (found == started_.end()) return;
  found->second.event.end_thread = thread;
  close(found->second, time);
  started_.erase(found);
}

void RangeBook::tell(EventType type, std::uint32_t domain, std::uint32_t thread, std::int64_t time,
                     Label label) {
  const MutexLock lock(mutex_);
  add({.key = next_key_++,
       .type = type,
       .start = time,
       .label = std::move(label),
       .domain = domain,
       .thread = thread});
}

std::uint32_t RangeBook::create_domain(std::string name, std::uint32_t thread, std::int64_t time) {
  const MutexLock lock(mutex_);
  const auto number = static_cast<std::uint32_t>(domains_.size());
  domains_.push_back(name);
  add({.key = next_key_++,
       .type = EventType::domain_create,
       .start = time,
       .label = {.text = std::move(name)},
       .domain = number,
       .thread = thread});
  return number;
}

const std::string* RangeBook::register_text(std::string text) {
  const MutexLock lock(mutex_);
  return &texts_.emplace_back(std::move(text));
}

std::vector<RangeEvent> RangeBook::drain() {
  const MutexLock lock(mutex_);
  std::vector<RangeEvent> out = std::exchange(ended_, {});
  const auto add_open = [&](Open& range) {
    if (!std::exchange(range.written, true)) out.push_back(range.event);
  };
  for (auto& [place, stack] : stacks_) {
    for (Open& range : stack) add_open(range);
  }
  for (auto& [id, range] : started_) add_open(range);
  return out;
}

std::uint64_t RangeBook::lost() {
  const MutexLock lock(mutex_);
  return lost_;
}

void RangeBook::forget_after_fork(std::uint32_t thread, std::int64_t time) {
  const MutexLock lock(mutex_);
  stacks_.clear();
  started_.clear();
  ended_.clear();
  lost_ = 0;
  for (std::uint32_t domain = 1; domain < domains_.size(); ++domain) {
    add({.key = next_key_++,
         .type = EventType::domain_create,
         .start = time,
         .label = {.text = domains_[domain]},
         .domain = domain,
         .thread = thread});
  }
}

}  // namespace assay::tracer
