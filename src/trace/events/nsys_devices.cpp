#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_tables.hpp"
#include "trace/events/sqlite.hpp"

namespace assay::trace {
namespace {

/// The number of a GPU, by the process and by the number that the process calls it.
using GpuOfProcess = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

Result<GpuOfProcess> read_numbers(SqliteDatabase& database, const NsysSchema& schema) {
  constexpr std::array<std::string_view, 3> kColumns = {"gpuId", "cudaId", "pid"};
  GpuOfProcess numbers;
  auto done = for_each_row(
      database, schema, "TARGET_INFO_CUDA_DEVICE", kColumns,
      [&](const SqliteRows& row) { numbers[{row.integer(2), row.integer(1)}] = row.integer(0); });
  if (!done) return std::unexpected(std::move(done).error());
  return numbers;
}

/// Whether two processes mean different GPUs by one number, or one GPU by different numbers.
bool differ(const GpuOfProcess& numbers) {
  std::map<std::int64_t, std::int64_t> gpu_of;
  std::map<std::int64_t, std::int64_t> called;
  return std::ranges::any_of(numbers, [&](const auto& entry) {
    const auto& [key, gpu] = entry;
    return gpu_of.try_emplace(key.second, gpu).first->second != gpu ||
           called.try_emplace(gpu, key.second).first->second != key.second;
  });
}

/// TARGET_INFO_GPU's own number of each of Capture::gpus.
Result<std::vector<std::int64_t>> gpu_ids(SqliteDatabase& database, const NsysSchema& schema) {
  constexpr std::array<std::string_view, 1> kId = {"id"};
  std::vector<std::int64_t> ids;
  auto done = for_each_row(database, schema, "TARGET_INFO_GPU", kId,
                           [&](const SqliteRows& row) { ids.push_back(row.integer(0)); });
  if (!done) return std::unexpected(std::move(done).error());
  return ids;
}

/// All processes mean the same by a number: the GPUs get the numbers that kernels carry.
void name_as_called(const GpuOfProcess& numbers, const std::vector<std::int64_t>& ids,
                    std::vector<Gpu>& gpus) {
  std::map<std::int64_t, std::int64_t> called;
  for (const auto& [key, gpu] : numbers) called[gpu] = key.second;
  std::vector<Gpu> seen;
  std::vector<Gpu> unseen;
  for (std::size_t i = 0; i < gpus.size() && i < ids.size(); ++i) {
    const auto found = called.find(ids[i]);
    (found == called.end() ? unseen : seen).push_back(gpus[i]);
    if (found != called.end()) seen.back().id = found->second;
  }
  // One that no process could see must not lend its name to another.
  for (const Gpu& gpu : unseen) {
    if (std::ranges::find(seen, gpu.id, &Gpu::id) == seen.end()) seen.push_back(gpu);
  }
  gpus = std::move(seen);
}

}  // namespace

Result<void> number_gpus(SqliteDatabase& database, const NsysSchema& schema, Trace& trace) {
  ASSAY_TRY(const GpuOfProcess numbers, read_numbers(database, schema));
  if (numbers.empty()) return {};
  ASSAY_TRY(const std::vector<std::int64_t> ids, gpu_ids(database, schema));
  if (!differ(numbers)) {
    name_as_called(numbers, ids, trace.capture.gpus);
    return {};
  }
  const auto number_of = [&](const Queue& queue) {
    return numbers.find({trace.processes[queue.process].pid, queue.device});
  };
  // A process that the table does not tell of could be taken for another GPU.
  if (std::ranges::any_of(trace.queues,
                          [&](const Queue& queue) { return number_of(queue) == numbers.end(); })) {
    return {};
  }
  for (Queue& queue : trace.queues) queue.device = number_of(queue)->second;
  for (std::size_t i = 0; i < trace.capture.gpus.size() && i < ids.size(); ++i) {
    trace.capture.gpus[i].id = ids[i];
  }
  return {};
}

}  // namespace assay::trace
