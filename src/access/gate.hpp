#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "access/audit.hpp"
#include "access/quotas.hpp"
#include "access/token.hpp"
#include "access/token_file.hpp"
#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"

namespace assay::access {

/// Who may come in, what they may use, and what they did. Tokens made or revoked while the server
/// runs count within a second.
class Gate {
 public:
  /// `clock` and `log` outlive this.
  [[nodiscard]] static Result<std::unique_ptr<Gate>> open(TokenFile file,
                                                          const std::filesystem::path& audit,
                                                          const Clock& clock, const Log& log);

  [[nodiscard]] std::optional<Token> find(std::string_view secret);
  [[nodiscard]] Quotas& quotas() { return quotas_; }
  /// Held while a job is counted against its quotas and stored.
  Mutex admission;

  /// `token` may be null: somebody who was not let in. Of those only the first in each minute are
  /// noted one by one.
  void note(const Token* token, std::string_view from, std::string_view action,
            std::string_view what);

 private:
  Gate(TokenFile file, Audit audit, const Clock& clock, const Log& log)
      : file_(std::move(file)),
        clock_(clock),
        log_(log),
        quotas_(clock),
        audit_(std::move(audit)) {}
  [[nodiscard]] Result<void> load() ASSAY_REQUIRES(mutex_);
  void look_again() ASSAY_REQUIRES(mutex_);
  void note_stranger(std::string_view from, std::string_view action, std::string_view what);

  const TokenFile file_;
  const Clock& clock_;
  const Log& log_;
  Quotas quotas_;
  Audit audit_;
  Mutex mutex_;
  std::map<Digest, Token> tokens_ ASSAY_GUARDED_BY(mutex_);        // by the hash of the secret
  std::array<std::uint64_t, 3> stamp_ ASSAY_GUARDED_BY(mutex_){};  // of the file that was read
  SteadyTime looked_ ASSAY_GUARDED_BY(mutex_);
  std::uint64_t strangers_ ASSAY_GUARDED_BY(mutex_) = 0;  // refused since then
  SteadyTime strangers_since_ ASSAY_GUARDED_BY(mutex_);
};

}  // namespace assay::access
