#include "trace/events/kineto_ranks.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/events/assemble.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {
namespace {

/// The last number in "[TP00] 4711", if it is one of a process.
std::uint32_t pid_number(std::string_view text) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t begin = text.size();
  while (begin > 0 && digit(text[begin - 1])) --begin;
  std::uint32_t number = 0;
  std::from_chars(text.data() + begin, text.data() + text.size(), number);
  return number;
}

/// How much of a label two pids share, as tools that merge files put one before both. Digits alone
/// are a label only where they are many: "1000000" and "1004711".
std::size_t shared_label(std::string_view a, std::string_view b) {
  constexpr std::size_t kManyDigits = 6;
  const auto [end, other] = std::ranges::mismatch(a, b);
  const std::string_view shared = a.substr(0, static_cast<std::size_t>(end - a.begin()));
  const bool digits = std::ranges::all_of(
      shared, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
  if (digits && (a.size() != b.size() || a.size() < kManyDigits)) return 0;
  return shared.size();
}

/// How well the calls of a process fit the work of a group.
struct Fit {
  std::uint64_t matches = 0;  // work that a call with its id began before
  std::int64_t delay = 0;     // from those calls to the work
};

using Starts = std::unordered_map<std::uint32_t, std::int64_t>;  // of calls, by correlation id

std::vector<Starts> starts_of_calls(const Assembly& assembly, std::size_t hosts) {
  std::vector<Starts> starts(hosts);
  const Trace& trace = assembly.trace;
  for (std::size_t row = 0; row < trace.calls.size(); ++row) {
    if (assembly.call_correlation[row] == 0) continue;
    starts[trace.threads[trace.calls.thread[row]].process].try_emplace(
        assembly.call_correlation[row], trace.calls.start[row]);
  }
  return starts;
}

}  // namespace

std::uint32_t KinetoRanks::host(std::string_view pid, bool calls_cuda) {
  if (hosts_.empty() || hosts_[last_host_].pid != pid) {
    const auto found = host_ids_.find(pid);
    if (found == host_ids_.end()) {
      last_host_ = static_cast<std::uint32_t>(hosts_.size());
      host_ids_.emplace(pid, last_host_);
      hosts_.push_back({.pid = std::string(pid)});
    } else {
      last_host_ = found->second;
      mixed_ |= last_host_ + 1 != hosts_.size();
    }
  }
  hosts_[last_host_].calls_cuda |= calls_cuda;
  return last_host_;
}

std::uint32_t KinetoRanks::group(std::string_view pid) {
  const auto part = static_cast<std::uint32_t>(hosts_.size());
  if (!groups_.empty() && groups_[last_group_].second == part &&
      groups_[last_group_].first == pid) {
    return last_group_;
  }
  const auto [found, added] =
      group_ids_.try_emplace({std::string(pid), part}, static_cast<std::uint32_t>(groups_.size()));
  if (added) groups_.push_back(found->first);
  last_group_ = found->second;
  return last_group_;
}

bool KinetoRanks::merged() const {
  return std::ranges::count(hosts_, true, &Host::calls_cuda) > 1;
}

std::vector<std::uint32_t> KinetoRanks::assign(
    Assembly& assembly, const std::vector<std::uint32_t>& host_of_thread,
    const std::vector<std::uint32_t>& group_of_queue) const {
  Trace& trace = assembly.trace;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    trace.processes.push_back({.key = i + 1, .pid = pid_number(hosts_[i].pid)});
  }
  for (std::size_t i = 0; i < host_of_thread.size(); ++i) {
    trace.threads[i].process = host_of_thread[i];
  }
  // Where ranks stand among each other, a pid is all that tells groups apart.
  std::map<std::string_view, std::vector<Fit>> of_pid;
  std::vector<std::vector<Fit>> fits(groups_.size(), std::vector<Fit>(hosts_.size()));
  const std::vector<Starts> starts = starts_of_calls(assembly, hosts_.size());
  for (const Work* work : trace.work()) {
    for (std::size_t row = 0; row < work->size(); ++row) {
      auto& own = fits[group_of_queue[work->queue[row]]];
      for (std::size_t host = 0; host < hosts_.size(); ++host) {
        const auto call = starts[host].find(work->call[row]);
        if (call == starts[host].end() || call->second > work->start[row]) continue;
        ++own[host].matches;
        own[host].delay += work->start[row] - call->second;
      }
    }
  }
  for (std::size_t g = 0; mixed_ && g < groups_.size(); ++g) {
    auto& sum = of_pid.try_emplace(groups_[g].first, hosts_.size()).first->second;
    for (std::size_t host = 0; host < hosts_.size(); ++host) {
      sum[host].matches += fits[g][host].matches;
      sum[host].delay += fits[g][host].delay;
    }
  }
  std::vector<std::uint32_t> chosen;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const auto& [pid, part] = groups_[g];
    const std::vector<Fit>& own = mixed_ ? of_pid.at(pid) : fits[g];
    const std::uint64_t most = std::ranges::max(own, {}, &Fit::matches).matches;
    using Rank = std::tuple<bool, bool, std::size_t, std::int64_t>;
    std::uint32_t best = 0;
    Rank best_rank;
    for (std::uint32_t host = 0; host < hosts_.size(); ++host) {
      const Rank rank = {own[host].matches * 50 >= most * 49, !mixed_ && host + 1 == part,
                         shared_label(pid, hosts_[host].pid), -own[host].delay};
      if (host > 0 && rank <= best_rank) continue;
      best = host;
      best_rank = rank;
    }
    chosen.push_back(best);
  }
  return chosen;
}

void renumber_devices(Trace& trace) {
  std::map<std::pair<std::uint32_t, std::int64_t>, std::int64_t> numbers;
  std::set<std::int64_t> taken;
  std::int64_t greatest = 0;
  for (const Queue& queue : trace.queues) greatest = std::max(greatest, queue.device);
  const std::vector<Gpu> recorded = trace.capture.gpus;
  for (Queue& queue : trace.queues) {
    const auto [found, added] = numbers.try_emplace({queue.process, queue.device}, queue.device);
    if (added && !taken.insert(queue.device).second) {
      found->second = ++greatest;
      trace.diagnostics.add("gpu_numbers_repeated",
                            "processes that call their GPUs by one number: each is shown as a GPU "
                            "of its own");
      const auto gpu = std::ranges::find(recorded, queue.device, &Gpu::id);
      if (gpu != recorded.end()) {
        trace.capture.gpus.push_back(*gpu);
        trace.capture.gpus.back().id = found->second;
      }
    }
    queue.device = found->second;
  }
}

}  // namespace assay::trace
