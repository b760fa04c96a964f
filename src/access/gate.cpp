#include "access/gate.hpp"

#include <chrono>
#include <expected>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

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
  std::error_code unknown;
  written_ = std::filesystem::last_write_time(file_.path(), unknown);
  ASSAY_TRY(std::vector<Token> tokens, file_.read());
  tokens_.clear();
  for (Token& token : tokens) tokens_.emplace(token.hash, std::move(token));
  return {};
}

/// A file that cannot be read any more leaves those known in, and nobody else.
void Gate::look_again() {
  if (clock_.now() < looked_ + kLookEvery) return;
  std::error_code unknown;
  looked_ = clock_.now();
  if (std::filesystem::last_write_time(file_.path(), unknown) == written_) return;
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
  const std::string who = token == nullptr ? "" : fmt::format("{} ({})", token->name, token->id);
  audit_.note({.who = who, .from = from, .action = action, .what = what});
}

}  // namespace assay::access
