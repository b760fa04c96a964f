#include "cli/entrance.hpp"

#include <chrono>
#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>

#include "access/gate.hpp"
#include "access/quotas.hpp"
#include "access/token_file.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "store/data_dir.hpp"
#include "store/job_store.hpp"

namespace assay::cli {

bool is_loopback(std::string_view host) {
  const std::string text(host);
  if (text == "localhost") return true;
  in_addr four{};
  if (::inet_pton(AF_INET, text.c_str(), &four) == 1) {
    return ntohl(four.s_addr) >> 24U == IN_LOOPBACKNET;
  }
  in6_addr six{};
  return ::inet_pton(AF_INET6, text.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

std::filesystem::path default_token_file(const std::filesystem::path& data_dir) {
  return data_dir / "tokens";
}

Result<std::unique_ptr<access::Gate>> open_entrance(const EntranceOptions& options,
                                                    std::string_view host,
                                                    const std::filesystem::path& data_dir,
                                                    const Clock& clock, const Log& log) {
  const access::TokenFile file(options.token_file.value_or(default_token_file(data_dir)));
  if (options.token_file || file.exists()) {
    if (auto made = store::make_data_dir(data_dir); !made) {
      return std::unexpected(std::move(made).error());
    }
    return access::Gate::open(file, data_dir / "audit.log", clock, log);
  }
  if (is_loopback(host)) return nullptr;
  if (!options.insecure) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("--host {} lets other machines in, and no token is known: make one with "
                    "`assay token create --name NAME --scope admin --data-dir {}`, or give "
                    "--insecure",
                    host, data_dir.string()));
  }
  log.warning("access", "--insecure: whoever reaches {} may run jailed code and read every job",
              host);
  return nullptr;
}

void remember_use(access::Quotas& quotas, store::JobStore& store, const Clock& clock) {
  const WallTime now = clock.wall_now();
  const auto uses = store.device_use(now - std::chrono::hours(24));
  if (!uses) return;  // a quota that begins anew is better than no server
  for (const store::DeviceUse& use : *uses) quotas.used_device(use.owner, use.time, now - use.at);
}

}  // namespace assay::cli
