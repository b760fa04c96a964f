#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace assay::runner {

/// Ranges that a profiler around this process sees. They follow the protocol of NVTX 3: a library
/// that is named in the environment, or loaded already, fills a table of functions.
class Nvtx {
 public:
  /// Null where no profiler asks. Its library stays loaded. At most one at a time.
  [[nodiscard]] static std::unique_ptr<Nvtx> attach();
  Nvtx(const Nvtx&) = delete;
  Nvtx& operator=(const Nvtx&) = delete;
  Nvtx(Nvtx&&) = delete;
  Nvtx& operator=(Nvtx&&) = delete;
  ~Nvtx();

  /// Open for all threads while it lives.
  class Range {
   public:
    Range(const Nvtx& nvtx, const std::string& name);
    ~Range();
    Range(const Range&) = delete;
    Range& operator=(const Range&) = delete;
    Range(Range&&) = delete;
    Range& operator=(Range&&) = delete;

   private:
    const Nvtx& nvtx_;
    std::uint64_t id_;
  };

 private:
  Nvtx() = default;
  using Start = std::uint64_t (*)(const char*);
  using End = void (*)(std::uint64_t);

  Start start_ = nullptr;
  End end_ = nullptr;
};

}  // namespace assay::runner
