#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::gate {

/// The words through which the worker and a runner speak during a round. The worker has the clock,
/// and the runner's calls are timed. Each word has a cache line of its own.
struct Page {
  alignas(128) std::atomic<std::uint32_t> queued;  // the runner: this round's calls are queued
  alignas(128) std::atomic<std::uint32_t> go;      // the worker: this round may begin
  alignas(128) std::atomic<std::uint64_t> key;     // the worker, before `go`
  alignas(128) std::atomic<std::uint64_t> seal;    // the GPU, before `done`
  alignas(128) std::atomic<std::uint32_t> done;    // the GPU: this round's calls are through
};

inline constexpr std::size_t kPageBytes = 65536;  // what the driver registers at once
static_assert(sizeof(Page) <= kPageBytes);

/// A Page in memory that two processes share.
class SharedPage {
 public:
  [[nodiscard]] static Result<SharedPage> create();
  /// The page that another process made.
  [[nodiscard]] static Result<SharedPage> map(UniqueFd descriptor);
  SharedPage(SharedPage&& other) noexcept;
  SharedPage& operator=(SharedPage&& other) noexcept;
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;
  ~SharedPage();

  [[nodiscard]] int fd() const { return descriptor_.get(); }
  [[nodiscard]] Page& operator*() const { return *page_; }
  [[nodiscard]] Page* operator->() const { return page_; }

 private:
  SharedPage(UniqueFd descriptor, Page* page) : descriptor_(std::move(descriptor)), page_(page) {}

  UniqueFd descriptor_;
  Page* page_;
};

}  // namespace assay::gate
