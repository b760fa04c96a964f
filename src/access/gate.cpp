#include "access/gate.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <sys/stat.h>

#include "access/audit.hpp"
#include "access/token.hpp"
#include "access/token_file.hpp"
#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"

namespace assay::access {
namespace {

constexpr std::chrono::seconds kLookEvery{1};
/// Of those whom we do not know, lest they push everybody else's deeds out of the log.
constexpr std::uint64_t kStrangersNoted = 60;
constexpr std::chrono::minutes kStrangersEvery{1};

/// What changes with a file's contents. Two changes within one tick of its clock have the same
/// time, but not the same inode: the file is replaced each time.
std::array<std::uint64_t, 3> stamp_of(const std::filesystem::path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return {};
  return {static_cast<std::uint64_t>(info.st_mtim.tv_sec),
          static_cast<std::uint64_t>(info.st_mtim.tv_nsec), info.st_ino};
}

}  // namespace

Result<std::unique_ptr<Gate>> Gate::open(TokenFile file, const std::filesystem::path& audit,
                                         const Clock& clock, const Log& log) {
  ASSAY_TRY(Audit opened, Audit::open(audit, clock));
  std::unique_ptr<Gate> gate(new Gate(std::move(file), std::move(opened), clock, log));
  const MutexLock lock(gate->mutex_);
  if (auto loaded = gate->load(); !loaded) return std::unexpected(std::move(loaded).error());
  return gate;
}

Result<void> Gate::load() {
  looked_ = clock_.now();
  stamp_ = stamp_of(file_.path());
  ASSAY_TRY(std::vector<Token> tokens, file_.read());
  tokens_.clear();
  for (Token& token : tokens) tokens_.emplace(token.hash, std::move(token));
  return {};
}

/// A file that cannot be read any more leaves those known in, and nobody else.
void Gate::look_again() {
  if (clock_.now() < looked_ + kLookEvery) return;
  looked_ = clock_.now();
  if (stamp_of(file_.path()) == stamp_) return;
  if (auto loaded = load(); !loaded) {
    log_.error("access", "the tokens stay as they were: {}", loaded.error().message());
  } else {
    log_.info("access", "{} tokens are known now", tokens_.size());
  }
}

std::optional<Token> Gate::find(std::string_view secret) {
  const Digest hash = hash_of(secret);
  const MutexLock lock(mutex_);
  look_again();
  const auto found = tokens_.find(hash);
  if (found == tokens_.end()) return std::nullopt;
  return found->second;
}

void Gate::note(const Token* token, std::string_view from, std::string_view action,
                std::string_view what) {
  if (token == nullptr) return note_stranger(from, action, what);
  const std::string who = fmt::format("{} ({})", token->name, token->id);
  audit_.note({.who = who, .from = from, .action = action, .what = what});
}

void Gate::note_stranger(std::string_view from, std::string_view action, std::string_view what) {
  std::uint64_t unnoted = 0;
  {
    const MutexLock lock(mutex_);
    if (clock_.now() >= strangers_since_ + kStrangersEvery) {
      if (strangers_ > kStrangersNoted) unnoted = strangers_ - kStrangersNoted;
      strangers_since_ = clock_.now();
      strangers_ = 0;
    }
    if (++strangers_ > kStrangersNoted) return;
  }
  if (unnoted > 0) {
    const std::string more = fmt::format("{} more before this, in one minute", unnoted);
    audit_.note({.who = "", .from = "many places", .action = "refused", .what = more});
  }
  audit_.note({.who = "", .from = from, .action = action, .what = what});
}

}  // namespace assay::access
