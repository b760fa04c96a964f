#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "access/token.hpp"
#include "access/token_file.hpp"
#include "base/result.hpp"
#include "cli/commands.hpp"
#include "cli/default_data_dir.hpp"
#include "cli/entrance.hpp"
#include "store/data_dir.hpp"

namespace assay::cli {
namespace {

struct TokenOptions {
  std::filesystem::path data_dir;
  std::optional<std::filesystem::path> file;
  std::string name;
  std::vector<std::string> scopes;
  access::Limits limits;

  [[nodiscard]] access::TokenFile token_file() const {
    return access::TokenFile(file.value_or(default_token_file(data_dir)));
  }
};

int create(const TokenOptions& options) {
  std::vector<access::Scope> scopes;
  for (const std::string& name : options.scopes) {
    const auto scope = access::parse_scope(name);
    if (!scope) return report(scope.error());
    scopes.push_back(*scope);
  }
  const auto made = access::make_token(options.name, std::move(scopes), options.limits);
  if (!made) return report(made.error());
  if (!options.file) {
    if (auto ready = store::make_data_dir(options.data_dir); !ready) return report(ready.error());
  }
  const bool first = !options.token_file().exists();
  if (auto added = options.token_file().add(made->token); !added) return report(added.error());
  fmt::print(stderr, "Token {} ({}). This is the only time it is shown:\n", made->token.name,
             made->token.id);
  fmt::print("{}\n", made->secret);
  if (first) {
    fmt::print(stderr,
               "It is the first token. A server that runs now asks for tokens only after "
               "it has been started again.\n");
  }
  return kSuccess;
}

std::string limit_text(const std::optional<std::uint64_t>& limit) {
  return limit ? std::to_string(*limit) : "-";
}

int list(const TokenOptions& options) {
  const auto tokens = options.token_file().read();
  if (!tokens) return report(tokens.error());
  fmt::print("{:<8}  {:<20}  {:<18}  {:>8}  {:>10}  {:>11}\n", "id", "name", "scopes", "rate",
             "concurrent", "gpu-seconds");
  for (const access::Token& token : *tokens) {
    std::string scopes;
    for (const access::Scope scope : token.scopes) {
      scopes += fmt::format("{}{}", scopes.empty() ? "" : ",", to_string(scope));
    }
    fmt::print("{:<8}  {:<20}  {:<18}  {:>8}  {:>10}  {:>11}\n", token.id, token.name, scopes,
               limit_text(token.limits.per_minute), limit_text(token.limits.concurrent),
               limit_text(token.limits.device_seconds));
  }
  return kSuccess;
}

int revoke(const TokenOptions& options) {
  const auto revoked = options.token_file().revoke(options.name);
  if (!revoked) return report(revoked.error());
  fmt::print("{} ({}) is revoked; a running server knows within a second\n", revoked->name,
             revoked->id);
  return kSuccess;
}

void add_place(CLI::App& command, TokenOptions& options) {
  command.add_option("--data-dir", options.data_dir, "The server's data directory")
      ->envname("ASSAY_DATA_DIR")
      ->capture_default_str();
  command
      .add_option("--token-file", options.file,
                  "Where tokens are kept (default: tokens in the data directory)")
      ->envname("ASSAY_TOKEN_FILE");
}

}  // namespace

void add_token(CLI::App& app) {
  auto* command = app.add_subcommand("token", "Make, list or revoke the tokens of a server");
  command->require_subcommand(1);
  command->footer("Examples:\n  assay token create --name ci --scope submit\n  assay token list");
  auto options = std::make_shared<TokenOptions>();  // shared with the callbacks
  options->data_dir = default_data_dir();

  auto* make = command->add_subcommand("create", "Make a token and print it, once");
  add_place(*make, *options);
  make->add_option("--name", options->name, "A name for it, such as that of its user")->required();
  make->add_option("--scope", options->scopes,
                   "submit: make jobs, see and cancel one's own; read: see every job; admin: all")
      ->delimiter(',')
      ->required();
  make->add_option("--rate", options->limits.per_minute, "Jobs it may submit in a minute");
  make->add_option("--concurrent", options->limits.concurrent, "Jobs it may have unfinished");
  make->add_option("--gpu-seconds", options->limits.device_seconds,
                   "Seconds of device time it may use in 24 hours");
  make->footer("Example:\n  assay token create --name ci --scope submit --concurrent 4");
  make->callback([options] { throw CLI::RuntimeError(create(*options)); });

  auto* show = command->add_subcommand("list", "List tokens, without their secrets");
  add_place(*show, *options);
  show->footer("Example:\n  assay token list --data-dir /var/lib/assay");
  show->callback([options] { throw CLI::RuntimeError(list(*options)); });

  auto* end = command->add_subcommand("revoke", "Revoke a token");
  add_place(*end, *options);
  end->add_option("TOKEN", options->name, "Its name or id")->required();
  end->footer("Example:\n  assay token revoke ci");
  end->callback([options] { throw CLI::RuntimeError(revoke(*options)); });
}

}  // namespace assay::cli
