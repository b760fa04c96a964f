#include "profile/manifest.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "base/os.hpp"
#include "base/version.hpp"
#include "profile/clock_log.hpp"
#include "profile/engines.hpp"
#include "profile/program.hpp"
#include "trace/json_writer.hpp"

namespace assay::profile {
namespace {

namespace fs = std::filesystem;

bool is_secret(std::string_view name) {
  constexpr std::array<std::string_view, 6> kWords = {"TOKEN",  "SECRET", "PASSWORD",
                                                      "PASSWD", "KEY",    "CREDENTIAL"};
  std::string upper(name);
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return upper.find(word) != std::string::npos; });
}

/// Up to the first line feed.
std::string first_line(const fs::path& path) {
  const auto text = read_file(path);
  return text ? text->substr(0, text->find('\n')) : std::string();
}

/// The commit that HEAD is at, read from git's own files: git itself may be missing.
std::string git_commit(fs::path folder) {
  std::error_code error;
  for (; !folder.empty(); folder = folder.parent_path()) {
    const fs::path git = folder / ".git";
    if (fs::exists(git, error)) {
      const std::string pointer = fs::is_directory(git, error) ? "" : first_line(git);
      const fs::path real = pointer.starts_with("gitdir: ") ? folder / pointer.substr(8) : git;
      std::string head = first_line(real / "HEAD");
      if (!head.starts_with("ref: ")) return head;
      std::string commit = first_line(real / head.substr(5));
      if (commit.empty()) {  // of a worktree, references are in the main folder
        commit = first_line(real / first_line(real / "commondir") / head.substr(5));
      }
      return commit;
    }
    if (folder == folder.root_path()) break;
  }
  return {};
}

/// The driver lists its GPUs as files: no library is needed.
std::vector<std::string> devices() {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc/driver/nvidia/gpus", error)) {
    const std::string line = first_line(entry.path() / "information");
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t at = line.find_first_not_of(" \t", colon + 1);
    if (at != std::string::npos) out.push_back(line.substr(at));
  }
  std::ranges::sort(out);
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

void write_list(trace::JsonWriter& json, std::string_view key,
                const std::vector<std::string>& items) {
  json.new_line().key(key).begin_array();
  for (const std::string& item : items) json.string(item);
  json.end_array();
}

void write_text(trace::JsonWriter& json, std::string_view key, std::string_view text) {
  json.new_line().key(key).string(text);
}

void write_gates(trace::JsonWriter& json, const Gates& gates) {
  json.new_line().key("gates").begin_object();
  if (!gates.nvtx_range.empty()) json.key("nvtx_range").string(gates.nvtx_range);
  if (gates.cuda_profiler) json.key("cuda_profiler").string("yes");
  if (!gates.ranks.empty()) json.key("ranks").string(gates.ranks);
  if (gates.delay_s) json.key("delay_s").real(*gates.delay_s);
  if (gates.duration_s) json.key("duration_s").real(*gates.duration_s);
  json.end_object();
}

void write_clocks(trace::JsonWriter& json, const std::vector<ClockRange>& clocks) {
  json.new_line().key("clocks").begin_array();
  for (const ClockRange& clock : clocks) {
    json.begin_object().key("device").string(clock.before.device);
    const auto write = [&](std::string_view key, unsigned megahertz) {
      json.key(key).integer(std::uint64_t{megahertz});
    };
    write("sm_mhz_before", clock.before.sm_mhz);
    write("sm_mhz_least", clock.sm_least_mhz);
    write("sm_mhz_greatest", clock.sm_greatest_mhz);
    write("sm_mhz_possible", clock.before.sm_most_mhz);
    write("memory_mhz_before", clock.before.memory_mhz);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

Manifest describe_run(const std::vector<std::string>& command,
                      const std::vector<std::string>& environment) {
  std::error_code error;
  Manifest out{.command = command, .working_directory = fs::current_path(error).string()};
  for (const std::string& entry : environment) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = entry.substr(0, equals);
    out.environment[name] = is_secret(name) ? "(left out)" : entry.substr(equals + 1);
  }
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) out.host = host.data();
  out.git_commit = git_commit(fs::current_path(error));
  out.devices = devices();
  out.driver = first_line("/proc/driver/nvidia/version");
  return out;
}

std::string manifest_json(const Manifest& manifest, const Ended* ended) {
  trace::JsonWriter json;
  json.begin_object();
  write_text(json, "command_line", joined(manifest.command));
  json.new_line().key("exit_code");
  if (ended == nullptr) {
    json.string("");
  } else {
    json.integer(std::int64_t{ended->exit_code});
    json.new_line().key("signal").integer(std::int64_t{ended->signal});
    write_text(json, "stopped", ended->stopped ? "yes" : "no");
    json.new_line().key("took_ns").integer(std::int64_t{ended->took.count()});
  }
  write_list(json, "command", manifest.command);
  write_list(json, "recorded", manifest.recorded);
  write_list(json, "added_environment", manifest.added_environment);
  write_text(json, "engine", manifest.engine);
  write_gates(json, manifest.gates);
  for (const auto& [key, text] : manifest.asked) write_text(json, key, text);
  json.new_line().key("engines").begin_object();
  for (const Engine& engine : manifest.engines) json.key(engine.name).string(engine.told);
  json.end_object();
  write_list(json, "notes", manifest.notes);
  write_text(json, "assay", version());
  write_text(json, "started", manifest.started);
  write_text(json, "host", manifest.host);
  write_list(json, "devices", manifest.devices);
  write_text(json, "driver", manifest.driver);
  write_clocks(json, manifest.clocks);
  write_text(json, "git_commit", manifest.git_commit);
  write_text(json, "working_directory", manifest.working_directory);
  json.new_line().key("environment").begin_object();
  for (const auto& [name, value] : manifest.environment) json.key(name).string(value);
  json.end_object().new_line().end_object();
  return std::move(json).take() + "\n";
}

namespace {

/// What follows "key": in our own writer's form; empty where there is no such key.
std::string_view value_of(std::string_view json, std::string_view key) {
  const std::string mark = fmt::format("\"{}\":", key);
  json = json.substr(0, json.find("\n  \"environment\":"));  // whose keys are the program's
  const std::size_t at = json.find(mark);
  if (at == std::string_view::npos) return {};
  std::string_view rest = json.substr(at + mark.size());
  rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(' ')));
  return rest;
}

/// Takes a text with its quotes off the front.
std::string take_text(std::string_view& json) {
  std::string out;
  std::size_t i = 1;
  for (; i < json.size() && json[i] != '"'; ++i) {
    if (json[i] != '\\' || i + 1 == json.size()) {
      out += json[i];
      continue;
    }
    const char escaped = json[++i];
    if (escaped == 'u' && i + 4 < json.size()) {
      unsigned code = 0;  // our writer writes only control characters so
      std::from_chars(json.data() + i + 1, json.data() + i + 5, code, 16);
      out += static_cast<char>(code);
      i += 4;
    } else {
      constexpr std::string_view kLetters = "nrtbf";
      constexpr std::string_view kControls = "\n\r\t\b\f";
      const std::size_t which = kLetters.find(escaped);
      out += which == std::string_view::npos ? escaped : kControls[which];
    }
  }
  json.remove_prefix(std::min(json.size(), i + 1));
  return out;
}

}  // namespace

std::string manifest_text(std::string_view json, std::string_view key) {
  // The keys looked for come before any text a program could have shaped.
  std::string_view rest = value_of(json, key);
  if (!rest.starts_with('"')) return std::string(rest.substr(0, rest.find_first_of(",}\n")));
  return take_text(rest);
}

Gates manifest_gates(std::string_view json) {
  const auto seconds = [&](std::string_view key) -> std::optional<double> {
    const std::string text = manifest_text(json, key);
    if (text.empty()) return std::nullopt;
    return std::strtod(text.c_str(), nullptr);
  };
  return {.nvtx_range = manifest_text(json, "nvtx_range"),
          .cuda_profiler = manifest_text(json, "cuda_profiler") == "yes",
          .delay_s = seconds("delay_s"),
          .duration_s = seconds("duration_s"),
          .ranks = manifest_text(json, "ranks")};
}

std::string manifest_with(std::string json, std::string_view key, std::string_view text) {
  trace::JsonWriter value;
  value.string(text);
  const auto line_of = [](std::string_view name) { return fmt::format("\n  \"{}\":", name); };
  const std::string line = line_of(key) + std::move(value).take() + ",";
  std::size_t at = json.find(line_of(key));
  std::size_t length = 0;
  if (at == std::string::npos) {
    at = json.find(line_of("engines"));  // what was asked for stands before it
    if (at == std::string::npos) return json;
  } else {
    length = json.find('\n', at + 1) - at;
  }
  return json.replace(at, length, line);
}

std::vector<std::string> manifest_list(std::string_view json, std::string_view key) {
  std::string_view rest = value_of(json, key);
  std::vector<std::string> out;
  if (!rest.starts_with('[')) return out;
  rest.remove_prefix(1);
  while (!rest.empty() && rest.front() != ']') {
    if (rest.front() == '"') {
      out.push_back(take_text(rest));
    } else {
      rest.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace assay::profile
