#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::access {

/// One thing that somebody did or was not let do.
struct Deed {
  std::string_view who;     // a token as "name (id)"; empty: nobody we know
  std::string_view from;    // the address
  std::string_view action;  // "submit", "cancel", "clean up", "refused"
  std::string_view what;    // the job, or why not
};

/// Appends a line for each deed: `2026-01-31T12:00:00.123Z submit by ci (1f…) from 10.0.0.7: id`.
/// A full file is moved to "….1", over the one before.
class Audit {
 public:
  static constexpr std::size_t kFull = std::size_t{64} << 20U;

  [[nodiscard]] static Result<Audit> open(std::filesystem::path path, const Clock& clock,
                                          std::size_t full = kFull);
  Audit(Audit&& other) noexcept;
  Audit(const Audit&) = delete;
  Audit& operator=(const Audit&) = delete;
  Audit& operator=(Audit&&) = delete;
  ~Audit() = default;

  /// What cannot be written is lost: the deed has happened.
  void note(const Deed& deed);

 private:
  Audit(std::filesystem::path path, const Clock& clock, std::size_t full, UniqueFd file,
        std::size_t size)
      : path_(std::move(path)), clock_(&clock), full_(full), file_(std::move(file)), size_(size) {}
  void start_another() ASSAY_REQUIRES(mutex_);

  std::filesystem::path path_;
  const Clock* clock_;
  std::size_t full_;
  Mutex mutex_;
  UniqueFd file_ ASSAY_GUARDED_BY(mutex_);
  std::size_t size_ ASSAY_GUARDED_BY(mutex_);
};

}  // namespace assay::access
