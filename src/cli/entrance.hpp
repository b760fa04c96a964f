#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "access/gate.hpp"
#include "access/quotas.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "store/job_store.hpp"

namespace assay::cli {

struct EntranceOptions {
  std::optional<std::filesystem::path>
      token_file;  // absent: in the data directory, if one is there
  bool insecure = false;
};

/// Whether only programs of this machine can reach an address.
[[nodiscard]] bool is_loopback(std::string_view host);

/// Who may use a server that listens on `host`. Null if everybody may. If others can reach the
/// server, that needs `insecure`.
[[nodiscard]] Result<std::unique_ptr<access::Gate>> open_entrance(
    const EntranceOptions& options, std::string_view host, const std::filesystem::path& data_dir,
    const Clock& clock, const Log& log);

/// Tells the quotas how much device time was used before this start.
void remember_use(access::Quotas& quotas, store::JobStore& store, const Clock& clock);

/// Where tokens are kept unless told otherwise.
[[nodiscard]] std::filesystem::path default_token_file(const std::filesystem::path& data_dir);

}  // namespace assay::cli
