#include "pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>

#include <pthread.h>
#include <sched.h>

#include "fault.hpp"

namespace assay::simt {
namespace {

// Waking a sleeping thread takes 5 to 50 microseconds: a launch shorter than this ends before help
// could arrive.
constexpr auto kWorthHelp = std::chrono::microseconds(15);

std::atomic<Pool*> current{nullptr};
std::mutex making;

unsigned usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

void forget_pool() {
  current.store(nullptr);
}

}  // namespace

Pool& Pool::instance() {
  if (Pool* pool = current.load(std::memory_order_acquire)) return *pool;
  const std::lock_guard lock(making);
  if (Pool* pool = current.load()) return *pool;
  static const int registered = pthread_atfork(nullptr, nullptr, forget_pool);
  static_cast<void>(registered);
  auto* pool = new Pool;
  current.store(pool, std::memory_order_release);
  return *pool;
}

Pool::Pool() : cores_(usable_cores()) {}

std::unique_ptr<Worker> Pool::take_worker() {
  const std::lock_guard lock(mutex_);
  if (workers_.empty()) return std::make_unique<Worker>();
  auto worker = std::move(workers_.back());
  workers_.pop_back();
  return worker;
}

void Pool::give_worker(std::unique_ptr<Worker> worker) {
  const std::lock_guard lock(mutex_);
  workers_.push_back(std::move(worker));
}

void Pool::run(Launch& launch) {
  unsigned threads = launch.options().threads != 0 ? launch.options().threads : cores_;
  // An order is only named by its seed, and a finding only found again, if nothing is parallel.
  if (launch.seed() != 0 || launch.sanitizer() != nullptr) threads = 1;
  threads = static_cast<unsigned>(std::min<std::uint64_t>(threads, launch.blocks()));
  Job job{&launch, threads - 1, 0,
          std::clamp<std::uint64_t>(launch.blocks() / (threads * 16), 1, 64)};
  if (launch.cooperative()) job.chunk = 1;

  prepare_thread_for_faults();
  auto worker = take_worker();
  if (threads == 1) {
    worker->run(launch, job.chunk, [] {});
  } else {
    const auto start = std::chrono::steady_clock::now();
    bool called = false;
    worker->run(launch, job.chunk, [&] {
      if (called || std::chrono::steady_clock::now() - start < kWorthHelp) return;
      called = true;
      if (!launch.exhausted()) call_helpers(job);
    });
    if (called) {
      std::unique_lock lock(mutex_);
      std::erase(jobs_, &job);
      left_.wait(lock, [&] { return job.helping == 0; });
    }
  }
  give_worker(std::move(worker));
}

void Pool::call_helpers(Job& job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(&job);
  try {
    for (; helpers_ < job.wanted; ++helpers_) std::thread([this] { helper_main(); }).detach();
  } catch (const std::system_error&) {
    // No more threads to be had: those there are do the work.
  }
  work_.notify_all();
}

Pool::Job* Pool::joinable_job() {
  for (Job* job : jobs_) {
    if (job->wanted > 0 && !job->launch->exhausted()) return job;
  }
  return nullptr;
}

void Pool::helper_main() {
  auto worker = std::make_unique<Worker>();
  std::unique_lock lock(mutex_);
  for (;;) {
    Job* job = nullptr;
    work_.wait(lock, [&] { return (job = joinable_job()) != nullptr; });
    --job->wanted;
    ++job->helping;
    lock.unlock();
    prepare_thread_for_faults();
    worker->run(*job->launch, job->chunk, [] {});
    lock.lock();
    if (--job->helping == 0) left_.notify_all();
  }
}

}  // namespace assay::simt
