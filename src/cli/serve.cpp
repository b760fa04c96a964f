#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <unistd.h>

#include "api/context.hpp"
#include "api/routes.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file_limit.hpp"
#include "base/log.hpp"
#include "base/version.hpp"
#include "cli/commands.hpp"
#include "cli/config_file.hpp"
#include "cli/default_data_dir.hpp"
#include "cli/engine.hpp"
#include "cli/engine_flags.hpp"
#include "cli/entrance.hpp"
#include "cli/heading.hpp"
#include "cli/signals.hpp"
#include "http/own_site.hpp"
#include "http/server.hpp"
#include "model/ids.hpp"
#include "model/request.hpp"

namespace assay::cli {
namespace {

struct ServeOptions {
  EngineOptions engine;
  http::ServerOptions http;
  http::OwnSite site;
  EntranceOptions entrance;
  http::CertificateFiles tls;    // empty: in the clear
  std::filesystem::path config;  // empty: none
  std::string log_level = "info";
  std::int64_t drain_seconds = 30;
  std::int64_t longest_wait_seconds = 3600;
  std::int64_t keep_hours = std::int64_t{24} * 7;
  bool lazy = false;  // prepare nothing beforehand
};

constexpr std::chrono::nanoseconds kLastAnswers = std::chrono::seconds(2);  // to be sent in

Error with_advice(const Error& error, const http::ServerOptions& options) {
  if (error.code() != ErrorCode::unavailable) return error;
  return {error.code(),
          fmt::format("{}. Port {} is taken, perhaps by another assay: stop that one, or choose "
                      "another port with --port (0 takes any free one)",
                      error.message(), options.port)};
}

Result<void> choose_tls(ServeOptions& options, const Log& log) {
  if (options.tls.certificate.empty() != options.tls.key.empty()) {
    return fail(ErrorCode::invalid_argument, "--tls-certificate and --tls-key go together");
  }
  if (!options.tls.certificate.empty()) {
    options.http.tls = options.tls;
  } else if (!is_loopback(options.http.host)) {
    log.warning("http",
                "tokens and kernels cross the network unencrypted: give --tls-certificate and "
                "--tls-key, or put a proxy that speaks TLS in front");
  }
  return {};
}

/// Clients must not take the files that the server itself needs.
void leave_files(http::ServerOptions& options, const Log& log) {
  const std::size_t most = raise_file_limit() / 2;
  if (most >= options.max_connections) return;
  options.max_connections = most;
  options.max_streams = most / 2;
  log.warning("http", "at most {} connections: this process may have {} open files (ulimit -n)",
              most, 2 * most);
}

int serve(ServeOptions options) {
  const auto level = parse_log_level(options.log_level);
  if (!level) return report(level.error());
  const Log log(STDERR_FILENO, *level);
  leave_files(options.http, log);
  const SignalStop signals;
  options.engine.keep_age = std::chrono::hours(options.keep_hours);
  const SystemClock clock;
  const auto gate =
      open_entrance(options.entrance, options.http.host, options.engine.data_dir, clock, log);
  if (!gate) return report(gate.error());
  if (*gate != nullptr) {
    options.engine.on_device_use = [&quotas = (*gate)->quotas()](const std::string& owner,
                                                                 std::chrono::milliseconds time) {
      quotas.used_device(owner, time);
    };
  }
  if (auto chosen = choose_tls(options, log); !chosen) return report(chosen.error());
  if (!is_loopback(options.http.host)) options.engine.require_jail = true;
  auto engine = Engine::start(options.engine, log);
  if (!engine) return report(engine.error());
  if (*gate != nullptr) remember_use((*gate)->quotas(), (*engine)->store(), clock);
  api::HostInfo host = api::this_host((*engine)->dispatcher().devices());
  options.site.hosts.insert(options.site.hosts.end(), {options.http.host, host.name});
  api::Api api({.dispatcher = (*engine)->dispatcher(),
                .store = (*engine)->store(),
                .clock = (*engine)->clock(),
                .log = log,
                .host = std::move(host),
                .site = std::move(options.site),
                .longest_wait = std::chrono::seconds(options.longest_wait_seconds),
                .preparing = [&engine] { return (*engine)->preparing(); },
                .metrics_mistake =
                    [&engine](const Request& request, const std::optional<DeviceId>& device) {
                      return (*engine)->metric_names().mistake_in(request, device);
                    },
                .gate = gate->get(),
                .weak_jail = (*engine)->weak_jail()});
  if (!options.lazy) (*engine)->prepare_ahead();
  auto server = http::Server::start(options.http, api.router(), log);
  if (!server) return report(with_advice(server.error(), options.http));
  log.info("serve", "assay {} listens on {}://{}:{} (data in {})", version(),
           options.http.tls ? "https" : "http", options.http.host, (*server)->port(),
           options.engine.data_dir.string());
  signals.wait();
  log.info("serve", "stopping: jobs and requests in progress have at most {} s to end",
           options.drain_seconds);
  const Deadline deadline((*engine)->clock(), std::chrono::seconds(options.drain_seconds));
  const bool finished = (*engine)->dispatcher().drain(deadline);
  api.answer_waiting();
  const std::chrono::nanoseconds left = deadline.remaining();
  (*server)->drain(Deadline((*engine)->clock(), std::max(left, kLastAnswers)));
  log.info("serve", "stopped{}", finished ? "" : "; jobs that were running are queued again");
  return kSuccess;
}

}  // namespace

void add_serve(CLI::App& app) {
  auto* command = app.add_subcommand("serve", "Serve the HTTP API");
  auto options = std::make_shared<ServeOptions>();  // shared with the callback
  options->engine.data_dir = default_data_dir();
  std::optional<Heading> heading(std::in_place, *command, "Who may use the server");
  command->add_option("--host", options->http.host, "Address to listen on")
      ->envname("ASSAY_HOST")
      ->capture_default_str();
  command->add_option("--port", options->http.port, "Port to listen on; 0 takes any free one")
      ->check(CLI::Range(0, 65535))
      ->envname("ASSAY_PORT")
      ->capture_default_str();
  command
      ->add_option("--allow-host", options->site.hosts,
                   "Names this server answers to, beside its addresses, localhost and the "
                   "machine's own name; * means every name")
      ->delimiter(',')
      ->envname("ASSAY_ALLOW_HOST");
  command
      ->add_option("--allow-origin", options->site.origins,
                   "Web sites whose pages may use this server, as https://example.org")
      ->delimiter(',')
      ->envname("ASSAY_ALLOW_ORIGIN");
  command
      ->add_option("--token-file", options->entrance.token_file,
                   "The file of tokens (default: tokens in the data directory)")
      ->envname("ASSAY_TOKEN_FILE");
  command
      ->add_flag("--insecure", options->entrance.insecure,
                 "Let in everybody who reaches the port, without a token")
      ->envname("ASSAY_INSECURE");
  command
      ->add_option("--tls-certificate", options->tls.certificate,
                   "Speak https with this certificate (PEM, with its chain). It is read again when "
                   "the file changes")
      ->envname("ASSAY_TLS_CERTIFICATE");
  command->add_option("--tls-key", options->tls.key, "The key of that certificate (PEM)")
      ->envname("ASSAY_TLS_KEY");
  heading.emplace(*command, "What is kept");
  command->add_option("--data-dir", options->engine.data_dir, "Where jobs and builds are kept")
      ->envname("ASSAY_DATA_DIR")
      ->capture_default_str();
  command
      ->add_option("--cache-dir", options->engine.cache_dir,
                   "Where builds are kept, shared by servers (default: in the data directory)")
      ->envname("ASSAY_CACHE_DIR");
  heading.reset();
  add_engine_flags(*command, options->engine);
  heading.emplace(*command, "Limits on requests");
  command->add_option("--max-body", options->http.max_body, "Largest request body")
      ->transform(CLI::AsSizeValue(false))
      ->envname("ASSAY_MAX_BODY")
      ->capture_default_str();
  command
      ->add_option("--max-queued", options->engine.max_queued,
                   "Jobs that may wait; more are answered with 429")
      ->envname("ASSAY_MAX_QUEUED")
      ->capture_default_str();
  command
      ->add_option("--max-wait", options->longest_wait_seconds,
                   "Seconds a blocking request may take, the queue included")
      ->check(CLI::Range(1, 86400))
      ->envname("ASSAY_MAX_WAIT")
      ->capture_default_str();
  command
      ->add_option("--max-attempts", options->engine.max_attempts,
                   "How often a job is tried when its worker keeps dying")
      ->check(CLI::Range(1, 100))
      ->envname("ASSAY_MAX_ATTEMPTS")
      ->capture_default_str();
  heading.emplace(*command, "What is kept");
  command->add_option("--keep-hours", options->keep_hours, "How many hours a finished job is kept")
      ->envname("ASSAY_KEEP_HOURS")
      ->capture_default_str();
  command
      ->add_option("--keep-count", options->engine.keep_count,
                   "How many finished jobs are kept at most")
      ->envname("ASSAY_KEEP_COUNT")
      ->capture_default_str();
  command
      ->add_option("--keep-bytes", options->engine.keep_bytes,
                   "How many bytes of jobs are kept at most")
      ->transform(CLI::AsSizeValue(false))
      ->envname("ASSAY_KEEP_BYTES")
      ->capture_default_str();
  command
      ->add_option("--keep-free", options->engine.keep_free,
                   "Bytes of the disk to leave free; with less, no jobs are taken (507)")
      ->transform(CLI::AsSizeValue(false))
      ->envname("ASSAY_KEEP_FREE")
      ->capture_default_str();
  command
      ->add_flag(
          "--survive-power-loss", options->engine.survive_power_loss,
          "Write every change of a job to the disk at once: slower, and safe from power loss")
      ->envname("ASSAY_SURVIVE_POWER_LOSS");
  heading.reset();
  command->add_option("--drain", options->drain_seconds, "Seconds to finish work after SIGTERM")
      ->check(CLI::Range(0, 86400))
      ->envname("ASSAY_DRAIN")
      ->capture_default_str();
  command
      ->add_flag("--no-prepare", options->lazy,
                 "Compile headers when the first kernel needs them, not at the start")
      ->envname("ASSAY_NO_PREPARE");
  command->add_option("--log-level", options->log_level, "debug, info, warning or error")
      ->envname("ASSAY_LOG_LEVEL")
      ->capture_default_str();
  command
      ->add_option("--config", options->config,
                   "Read options from a TOML file, one a line (max-queued = 100); the command line "
                   "and the environment win")
      ->configurable(false)
      ->envname("ASSAY_CONFIG");
  command->footer("Example:\n  assay serve --port 8000 --data-dir /var/lib/assay");
  command->callback([command, options] {
    if (!options->config.empty()) {
      const auto read = read_config_file(*command, options->config);
      if (!read) throw CLI::RuntimeError(report(read.error()));
    }
    throw CLI::RuntimeError(serve(std::move(*options)));
  });
}

}  // namespace assay::cli
