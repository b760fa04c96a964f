#include "cli/job_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/format.h>

#include "base/printable.hpp"
#include "cli/terminal.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

using wire::Value;

std::string interval_text(const Value& interval, const auto& show) {
  if (interval.is_null()) return "unknown";
  return fmt::format("{} .. {}", show(interval.elements().at(0).number()),
                     show(interval.elements().at(1).number()));
}

void add_timing(std::string& text, std::string_view name, const Value& timing) {
  const Value& s = timing["statistics_ns"];
  if (s.is_null()) return;
  text += fmt::format("{:<10} {:>10} {:>10} {:>10} {:>10} {:>6}   {}\n", name,
                      human_time(s["median"].number()), human_time(s["mean"].number()),
                      human_time(s["min"].number()), human_time(s["percentile_99"].number()),
                      timing["sample_count"].number(), interval_text(s["median_ci95"], human_time));
}

/// What is known beside the samples: what the device, its kernels and a caller take for one call.
void add_call(std::string& text, std::string_view name, const Value& timing) {
  const Value& device = timing["device_time"];
  if (device.is_null()) return;
  const auto time_or = [](const Value& time, std::string_view key) {
    return time.is_null() ? std::string("unknown") : human_time(time[key].number());
  };
  text += fmt::format("{:<10} {:>10} {:>10} {:>10}   {}\n", name, time_or(device, "ns"),
                      time_or(timing["kernel_time"], "busy_ns"), time_or(timing["host_time"], "ns"),
                      timing["trust"].text());
}

void add_notes(std::string& text, std::string_view name, const Value& timing) {
  if (timing["host_included"].truth()) {
    text += fmt::format(
        "{:<10} the call itself waits for the device: its time includes the host's\n", name);
  }
  if (const double unused = timing["unused_batches"].number(); unused > 0) {
    text += fmt::format("{:<10} {} of {} batches not used: the device was slowed\n", name, unused,
                        timing["batch_count"].number());
  }
}

/// Why a time is only claimed; once where the reason is the same for both kernels.
void add_claims(std::string& text, const Value& reference, const Value& candidate) {
  const auto add = [&](std::string_view name, std::string_view reason) {
    if (!reason.empty()) text += fmt::format("{:<10} time is claimed: {}\n", name, reason);
  };
  const auto reason_of = [](const Value& timing) {
    return timing["trust"].text() == "claimed" ? timing["trust_reason"].text() : "";
  };
  if (reason_of(reference) == reason_of(candidate)) return add("both", reason_of(candidate));
  add("reference", reason_of(reference));
  add("candidate", reason_of(candidate));
}

/// Whether more is known of a call than the table of times says.
bool has_parts(const Value& timing) {
  return !timing["kernel_time"].is_null() ||
         timing["device_time"]["ns"].number() != timing["host_time"]["ns"].number();
}

void add_calls(std::string& text, const Value& result) {
  const Value& reference = result["reference_timing"];
  const Value& candidate = result["candidate_timing"];
  if (candidate["device_time"].is_null()) return;
  if (has_parts(reference) || has_parts(candidate)) {
    text += fmt::format("\n{:<10} {:>10} {:>10} {:>10}   {}\n", "one call", "device", "kernels",
                        "caller", "trust");
    add_call(text, "reference", reference);
    add_call(text, "candidate", candidate);
  }
  add_notes(text, "reference", reference);
  add_notes(text, "candidate", candidate);
  add_claims(text, reference, candidate);
}

std::string_view speed_text(std::string_view verdict, std::string_view device) {
  if (verdict != "not_judged") return verdict;
  return device == "cpu" ? "not judged, times of the cpu device say little about a GPU "
                           "(--judge-speed asks for it)"
                         : "not judged, no clock outside the kernels could be used "
                           "(--judge-speed asks for it)";
}

void add_times(std::string& text, const Value& result) {
  if (result["candidate_timing"].is_null()) return;
  text += fmt::format("\n{:<10} {:>10} {:>10} {:>10} {:>10} {:>6}   {}\n", "", "median", "mean",
                      "min", "p99", "runs", "95 % of the median");
  add_timing(text, "reference", result["reference_timing"]);
  add_timing(text, "candidate", result["candidate_timing"]);
  add_calls(text, result);
  const Value& speed = result["speed"];
  if (speed.is_null()) return;
  const auto ratio = [](double value) { return fmt::format("{:.3f}", value); };
  const bool has_interval = !speed["interval"].is_null();
  text +=
      fmt::format("\nspeedup    {:.3f}x ({}{}): {}\n", speed["speedup"].number(),
                  interval_text(speed["interval"], ratio),
                  has_interval ? fmt::format(", {:.4g} %", 100 * speed["confidence"].number()) : "",
                  speed_text(speed["verdict"].text(), result["provenance"]["device"].text()));
}

void add_resources(std::string& text, std::string_view name, const Value& resources) {
  if (resources.is_null()) return;
  text += fmt::format("{:<10} {:>9} {:>6}", name, resources["registers_per_thread"].number(),
                      resources["local_bytes_per_thread"].number());
  const Value& spills = resources["spills"];
  text += spills.is_null()
              ? fmt::format(" {:>11}", "unknown")
              : fmt::format(" {:>11}", fmt::format("{} / {}", spills["store_bytes"].number(),
                                                   spills["load_bytes"].number()));
  text += fmt::format(" {:>13}", fmt::format("{} + {}", resources["static_shared_bytes"].number(),
                                             resources["dynamic_shared_bytes"].number()));
  text += fmt::format(" {:>9} {:>9.0f} %\n", resources["blocks_per_multiprocessor"].number(),
                      100 * resources["occupancy"].number());
}

void add_resource_table(std::string& text, const Value& result) {
  if (result["candidate_resources"].is_null()) return;
  text += fmt::format("\n{:<10} {:>9} {:>6} {:>11} {:>13} {:>9} {:>11}\n", "bytes", "registers",
                      "local", "spills", "shared", "blocks/SM", "occupancy");
  add_resources(text, "reference", result["reference_resources"]);
  add_resources(text, "candidate", result["candidate_resources"]);
}

void add_artifacts(std::string& text, const Value& job) {
  for (const Value& artifact : job["result"]["artifacts"].elements()) {
    const Value& absent = artifact["absent"];
    text += absent.is_null()
                ? fmt::format("artifact   {}, {} bytes: /v1/jobs/{}/artifacts/{}\n",
                              artifact["name"].text(), artifact["bytes"].number(), job["id"].text(),
                              artifact["name"].text())
                : fmt::format("artifact   no {}: {}\n", artifact["name"].text(), absent.text());
  }
}

void add_phases(std::string& text, const Value& job) {
  constexpr double kSecond = 1000;
  std::string_view before = "phases     ";
  for (const Value& phase : job["phases"].elements()) {
    text += fmt::format("{}{}", before, phase["state"].text());
    before = ", ";
    const Value& spent = phase["duration_ms"];
    if (spent.is_null()) continue;
    text += spent.number() < kSecond ? fmt::format(" {} ms", spent.number())
                                     : fmt::format(" {:.1f} s", spent.number() / kSecond);
  }
  text += '\n';
}

/// What would pass a weak check, in plain words.
std::string_view shortcut_words(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kWords = {
      {{"zeros", "zeros"},
       {"constant", "one number everywhere"},
       {"copy_of_input", "a copy of an input"},
       {"previous_answer", "the answer to other inputs"},
       {"lower_precision", "lower precision"}}};
  const auto* const found = std::ranges::find(kWords, name, &decltype(kWords)::value_type::first);
  return found == kWords.end() ? name : found->second;
}

/// The output that a warning is about, which stands in quotes.
std::string_view output_of(std::string_view message) {
  const std::size_t open = message.find('\'');
  if (open == std::string_view::npos) return {};
  return message.substr(open + 1, message.find('\'', open + 1) - open - 1);
}

/// One line for each output whose check is weak, whatever round showed it.
void add_weak_checks(std::string& text, const Value& result) {
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> outputs;
  for (const Value& warning : result["warnings"].elements()) {
    if (warning["code"].text() != "weak_check") continue;
    const std::string_view output = output_of(warning["message"].text());
    auto held = std::ranges::find(outputs, output, [](const auto& one) { return one.first; });
    if (held == outputs.end()) held = outputs.insert(held, {output, {}});
    for (const Value& name : warning["passes"].elements()) {
      const std::string_view words = shortcut_words(name.text());
      if (std::ranges::find(held->second, words) == held->second.end()) {
        held->second.push_back(words);
      }
    }
  }
  for (const auto& [output, passes] : outputs) {
    text += fmt::format(
        "warning    the check of '{}' is weak: {} would pass too. Give smaller --atol and --rtol, "
        "or larger inputs\n",
        output, passes.empty() ? "less work" : fmt::format("{}", fmt::join(passes, ", ")));
  }
}

void add_warnings(std::string& text, const Value& result) {
  add_weak_checks(text, result);
  for (const Value& warning : result["warnings"].elements()) {
    if (warning["code"].text() == "weak_check") continue;
    text += fmt::format("warning    {}\n", warning["message"].text());
  }
}

/// A finding that the reason has told already is not told again.
void add_reasons(std::string& text, const Value& result) {
  std::string_view reason = result["reason"].text();
  reason = reason.substr(0, reason.find_last_not_of(" \n") + 1);  // what compilers print ends so
  if (!reason.empty()) text += fmt::format("reason     {}\n", reason);
  for (const Value& finding : result["findings"].elements()) {
    const std::string_view message = finding["message"].text();
    if (reason.find(message) != std::string_view::npos) continue;
    text += fmt::format("finding    {}: {}\n", finding["kind"].text(), message);
  }
  // Who checked is told where it is not whom the reader expects.
  const Value& sanitizers = result["sanitizers"];
  if (const auto why = sanitizers["reason"].text(); !why.empty()) {
    text += fmt::format("sanitizers {}: {}\n", sanitizers["state"].text(), why);
  }
  if (const auto next = result["next_step"].text(); !next.empty()) {
    text += fmt::format("next step  {}\n", next);
  }
}

/// "1.2 % of", or "4000 times" where it is far more.
std::string share_text(double used) {
  constexpr double kTimes = 10;
  constexpr double kMany = 1e6;
  if (used < kTimes) return fmt::format("{:.2g} % of", 100 * used);
  if (used >= kMany || !std::isfinite(used)) return "more than a million times";
  const double unit = std::pow(10, std::floor(std::log10(used)) - 1);  // two digits
  return fmt::format("{:.0f} times", std::round(used / unit) * unit);
}

/// Of a run that failed the difference is known only where something was compared.
void add_check(std::string& text, const Value& check, bool accepted) {
  if (check.is_null()) return;
  text += fmt::format("checked    {} of {} rounds", check["rounds_passed"].number(),
                      check["rounds_total"].number());
  if (accepted || check["max_difference"].number() > 0) {
    text += fmt::format(", largest difference {:.3g}", check["max_difference"].number());
    // A difference says little by itself: the numbers may be large.
    if (const double used = check["tolerance"]["used"].number(); used > 0) {
      text += fmt::format(" ({} what is allowed)", share_text(used));
    }
  }
  text += '\n';
}

}  // namespace

std::string human_time(double nanoseconds) {
  constexpr std::array<std::pair<double, std::string_view>, 4> kUnits = {
      {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}};
  for (const auto& [size, unit] : kUnits) {
    if (nanoseconds >= size || size == 1) return fmt::format("{:.3g} {}", nanoseconds / size, unit);
  }
  return "0 ns";
}

std::string describe_job(const Value& told, const Painter& paint) {
  const Value job = told.with_texts(printable);
  const Value& result = job["result"];
  std::string text = fmt::format("job        {}\n", job["id"].text());
  if (const auto name = job["name"].text(); !name.empty()) {
    text += fmt::format("name       {} ({})\n", name, job["kernel_type"].text());
  }
  const std::string_view state = job["state"].text();
  if (state != "done") {
    text += fmt::format("{:<10} {}\n", state, job["error"]["message"].text());
    add_phases(text, job);
    text.pop_back();
    return text;
  }
  const std::string_view verdict = job["verdict"].text();
  text += fmt::format("verdict    {}\n", paint(colour_of(verdict), verdict));
  add_reasons(text, result);
  add_warnings(text, result);
  const Value& provenance = result["provenance"];
  text += fmt::format("device     {} ({})\n", provenance["device"].text(),
                      provenance["device_name"].text());
  add_check(text, result["check"], verdict == "accepted");
  add_artifacts(text, job);
  add_phases(text, job);
  add_times(text, result);
  add_resource_table(text, result);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string job_table(const Value& told, const Painter& paint) {
  const Value page = told.with_texts(printable_line);
  constexpr std::size_t kShortId = 8;
  std::string text = fmt::format("{:<8}  {:<19}  {:<24}  {:<12}  {:<17}  {:>8}\n", "id",
                                 "created (UTC)", "name", "kernel", "verdict", "speedup");
  for (const Value& job : page["jobs"].elements()) {
    std::string created(job["created"].text().substr(0, 19));
    std::ranges::replace(created, 'T', ' ');
    const std::string_view end =
        job["verdict"].is_null() ? job["state"].text() : job["verdict"].text();
    const std::string speedup =
        job["speedup"].is_null() ? "" : fmt::format("{:.2f}x", job["speedup"].number());
    // Padded before it is painted: colours are letters too.
    text += fmt::format("{:<8}  {:<19}  {:<24.24}  {:<12}  {}  {:>8}\n",
                        job["id"].text().substr(0, kShortId), created, job["name"].text(),
                        job["kernel_type"].text(),
                        paint(colour_of(end), fmt::format("{:<17}", end)), speedup);
  }
  return text;
}

}  // namespace assay::cli
