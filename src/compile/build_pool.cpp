#include "compile/build_pool.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/build_cache.hpp"
#include "compile/build_record.hpp"
#include "compile/builder.hpp"
#include "compile/extension_builder.hpp"
#include "compile/work_area.hpp"
#include "model/device_info.hpp"
#include "model/extension.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/verdict.hpp"

namespace assay::compile {
namespace {

/// The contract is not part of it: the same module serves every shape it is called with.
Digest key_of(const Kernel& kernel, const Backend& backend, const std::string& code) {
  const KernelMetadata& metadata = kernel.metadata;
  Hasher hasher;
  hasher.field(code)
      .field(to_string(kernel.type))
      .field(to_string(backend.device()))
      .field(backend.fingerprint().hex())
      .field(kernel.instrumented ? "instrumented" : "plain")
      .field(fmt::format("{}{}", kernel.artifacts.ptx ? "ptx " : "",
                         kernel.artifacts.sass ? "sass" : ""))
      .field(kernel.source)
      .field(to_string(metadata.backend))
      .field(metadata.kernel_name   ? "named"
             : metadata.takes_first ? "first"
                                    : "only")
      .field(metadata.kernel_name.value_or(""))
      .field(std::to_string(metadata.compiler_options.size()));
  for (const std::string& option : metadata.compiler_options) hasher.field(option);
  for (const std::string& expression : metadata.name_expressions) hasher.field(expression);
  return hasher.finish();
}

/// A key of the caller's own is no proof of what it calls: everything is hashed.
Digest key_of(const std::vector<ExtensionCall>& calls, const ExtensionBuilder& builder,
              const std::string& code) {
  Hasher hasher;
  const auto list = [&](const std::vector<std::string>& texts) {
    hasher.field(std::to_string(texts.size()));
    for (const std::string& text : texts) hasher.field(text);
  };
  hasher.field(code)
      .field("extensions")
      .field(to_string(builder.device()))
      .field(builder.fingerprint())
      .field(builder.describe());
  for (const ExtensionCall& call : calls) {
    hasher.field(call.instrumented ? "instrumented" : "plain").field(call.key).field(call.name);
    list(call.cflags);
    list(call.cuda_cflags);
    hasher.field(std::to_string(call.sources.size()));
    for (const ExtensionSource& source : call.sources) {
      hasher.field(source.name).field(source.is_cuda ? "cuda" : "host").field(source.text);
    }
  }
  return hasher.finish();
}

BuildOutcome outcome_of(BuildRecord record, const std::filesystem::path& support_dir,
                        bool cache_hit, std::chrono::nanoseconds elapsed) {
  if (auto* verdict = std::get_if<Verdict>(&record)) return std::move(*verdict);
  auto& compiled = std::get<CompiledKernel>(record);
  return BuiltKernel{.module = std::move(compiled.module),
                     .support_dir = support_dir,
                     .entry = std::move(compiled.entry),
                     .compiler = std::move(compiled.compiler),
                     .log = std::move(compiled.log),
                     .spills = compiled.spills,
                     .artifacts = std::move(compiled.artifacts),
                     .cache_hit = cache_hit,
                     .elapsed = elapsed};
}

std::unexpected<Error> stopped() {
  return fail(ErrorCode::cancelled, "stopped while building");
}

}  // namespace

BuildPool::BuildPool(PoolSettings settings, BackendSet backends, BuildCache& cache,
                     const WorkArea& work, const Clock& clock)
    : settings_(settings),
      backends_(std::move(backends)),
      cache_(cache),
      work_(work),
      clock_(clock) {
  for (std::size_t i = 0; i < std::max<std::size_t>(1, settings_.parallel); ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { work_until(stop); });
  }
}

BuildPool::~BuildPool() {
  for (std::jthread& thread : threads_) thread.request_stop();
  const MutexLock lock(mutex_);
  for (const auto& [key, flight] : flights_) flight->stop.request_stop();
}

Backend* BuildPool::backend_for(KernelType type, DeviceKind device) const {
  for (const auto& backend : backends_.kernels) {
    if (backend->type() == type && backend->device() == device) return backend.get();
  }
  return nullptr;
}

ExtensionBuilder* BuildPool::extensions_for(DeviceKind device) const {
  for (const auto& builder : backends_.extensions) {
    if (builder->device() == device) return builder.get();
  }
  return nullptr;
}

Unsupported BuildPool::no_backend(KernelType type, DeviceKind device) const {
  for (const MissingBackend& missing : backends_.missing) {
    if (missing.type == type && missing.device == device) return {.reason = missing.reason};
  }
  std::string known;
  for (const auto& backend : backends_.kernels) {
    known += fmt::format("{}{} on {}", known.empty() ? "" : ", ", to_string(backend->type()),
                         to_string(backend->device()));
  }
  return {.reason =
              fmt::format("there is no backend for {} kernels on the {} device (there is: {})",
                          to_string(type), to_string(device), known.empty() ? "none" : known)};
}

Result<void> BuildPool::prepare(KernelType type, DeviceKind device, const Deadline& deadline,
                                const std::stop_token& stop) {
  Backend* const backend = backend_for(type, device);
  if (backend == nullptr) return {};
  auto ready = backend->wait_ready(deadline, stop);
  if (!ready) return std::unexpected(std::move(ready).error());
  return {};
}

std::string BuildPool::preparation(KernelType type, DeviceKind device) const {
  const Backend* const backend = backend_for(type, device);
  return backend == nullptr ? std::string() : backend->preparation();
}

Result<BuildOutcome> BuildPool::build(const Kernel& kernel, DeviceKind device,
                                      const Deadline& deadline, const std::stop_token& stop) {
  Backend* const backend = backend_for(kernel.type, device);
  if (backend == nullptr) return Verdict(no_backend(kernel.type, device));
  if (auto verdict = too_large(kernel.source.size())) return *std::move(verdict);
  if (stop.stop_requested()) return stopped();
  ASSAY_TRY(std::filesystem::path support_dir, backend->wait_ready(deadline, stop));
  return build_once(
      {.key = key_of(kernel, *backend, settings_.code),
       .support_dir = std::move(support_dir),
       .work = [backend,
                kernel](const auto&... where) { return backend->compile(kernel, where...); }},
      deadline, stop);
}

Result<BuildOutcome> BuildPool::build_extensions(const std::vector<ExtensionCall>& calls,
                                                 DeviceKind device, const Deadline& deadline,
                                                 const std::stop_token& stop) {
  ExtensionBuilder* const builder = extensions_for(device);
  if (builder == nullptr) return Verdict(no_backend(KernelType::torch_cuda, device));
  if (auto verdict = too_large(calls)) return *std::move(verdict);
  if (stop.stop_requested()) return stopped();
  ASSAY_TRY(std::filesystem::path support_dir, builder->wait_ready(deadline, stop));
  return build_once(
      {.key = key_of(calls, *builder, settings_.code),
       .support_dir = std::move(support_dir),
       .work = [builder, calls](
                   const auto&... where) { return compile_extensions(*builder, calls, where...); }},
      deadline, stop);
}

Result<BuildOutcome> BuildPool::build_once(Order order, const Deadline& deadline,
                                           const std::stop_token& stop) {
  if (auto hit = cached(order)) return std::move(*hit);
  return await(board(std::move(order)), deadline, stop);
}

std::optional<BuildOutcome> BuildPool::cached(const Order& order) {
  const SteadyTime start = clock_.now();
  auto record = cache_.find(order.key);
  if (!record) return std::nullopt;
  const MutexLock lock(mutex_);
  ++stats_.cache_hits;
  return outcome_of(std::move(*record), order.support_dir, true, clock_.now() - start);
}

BuildPool::FlightPtr BuildPool::board(Order order) {
  const MutexLock lock(mutex_);
  FlightPtr& flight = flights_[order.key];
  if (flight != nullptr) {
    ++stats_.joined;
  } else {
    flight.reset(new Flight{.order = std::move(order)});
    queue_.push_back(flight);
    changed_.notify_all();
  }
  ++flight->waiters;
  return flight;
}

Result<BuildOutcome> BuildPool::await(const FlightPtr& flight, const Deadline& deadline,
                                      const std::stop_token& stop) {
  const std::chrono::nanoseconds limit = deadline.remaining();
  const MutexLock lock(mutex_);
  changed_.wait_for(mutex_, stop, limit, [&] { return flight->outcome.has_value(); });
  if (const auto& outcome = flight->outcome) return *outcome;
  leave(flight);
  if (stop.stop_requested()) return stopped();
  if (!flight->started) {
    return fail(ErrorCode::unavailable, "no compiler was free before the deadline");
  }
  return Verdict(
      TimedOut{.limit = std::chrono::ceil<std::chrono::milliseconds>(limit), .phase = "building"});
}

void BuildPool::leave(const FlightPtr& flight) {
  if (--flight->waiters > 0) return;
  flight->stop.request_stop();
  flights_.erase(flight->order.key);  // an equal build that comes now must not join a dying one
  std::erase(queue_, flight);
}

void BuildPool::work_until(const std::stop_token& stop) {
  while (const FlightPtr flight = next(stop)) land(flight, perform(*flight));
}

BuildPool::FlightPtr BuildPool::next(const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  const bool some = changed_.wait(mutex_, stop, [&] {
    mutex_.assert_held();
    return !queue_.empty();
  });
  if (!some || stop.stop_requested()) return nullptr;
  FlightPtr flight = std::move(queue_.front());
  queue_.pop_front();
  flight->started = true;
  return flight;
}

Result<BuildOutcome> BuildPool::perform(const Flight& flight) {
  // An equal build may have landed between this one's look into the cache and its boarding.
  if (auto hit = cached(flight.order)) return std::move(*hit);
  const SteadyTime start = clock_.now();
  auto record = compile(flight);
  const std::chrono::nanoseconds elapsed = clock_.now() - start;
  const MutexLock lock(mutex_);
  const double seconds = std::chrono::duration<double>(elapsed).count();
  stats_.shortest = stats_.builds == 0 ? seconds : std::min(stats_.shortest, seconds);
  stats_.longest = std::max(stats_.longest, seconds);
  stats_.seconds += seconds;
  ++stats_.builds;
  if (!record) return std::unexpected(std::move(record).error());
  if (std::holds_alternative<Verdict>(*record)) ++stats_.failures;
  return outcome_of(std::move(*record), flight.order.support_dir, false, elapsed);
}

Result<BuildRecord> BuildPool::compile(const Flight& flight) {
  ASSAY_TRY(const TempDir directory, work_.make_directory("build-"));
  const Deadline deadline(clock_, settings_.longest_build);
  ASSAY_TRY(Compilation compilation,
            flight.order.work(directory.path(), deadline, flight.stop.get_token()));
  if (!compilation.lasting) return std::move(compilation.record);
  return cache_.store(flight.order.key, std::move(compilation.record));
}

void BuildPool::land(const FlightPtr& flight, Result<BuildOutcome> outcome) {
  const MutexLock lock(mutex_);
  flight->outcome = std::move(outcome);
  const auto found = flights_.find(flight->order.key);
  if (found != flights_.end() && found->second == flight) flights_.erase(found);
  changed_.notify_all();
}

BuildStats BuildPool::stats() const {
  const MutexLock lock(mutex_);
  return stats_;
}

}  // namespace assay::compile
