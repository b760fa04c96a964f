#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "model/finding.hpp"
#include "model/io_contract.hpp"
#include "model/verdict.hpp"
#include "wire/fields.hpp"
#include "wire/outcome_json.hpp"

namespace assay::wire {
namespace {

Json mismatch_json(const Mismatch& mismatch) {
  return {{"output", mismatch.output},
          {"index", mismatch.index},
          {"got", mismatch.got},
          {"want", mismatch.want}};
}

/// What is true of each verdict, beside its name and reason.
struct VerdictDetails {
  Json operator()(const Accepted&) const { return Json::object(); }
  Json operator()(const DidNotCompile& v) const { return {{"log", v.log}}; }
  Json operator()(const WrongAnswer& v) const {
    Json details = {{"summary", v.reason},
                    {"rule", v.rule},
                    {"mismatches", v.mismatches},
                    {"compared", v.compared},
                    {"round", v.round}};
    if (v.first) details["first_mismatch"] = mismatch_json(*v.first);
    return details;
  }
  Json operator()(const NonDeterministic& v) const {
    Json details = {{"summary", v.reason}};
    if (v.first) details["first_mismatch"] = mismatch_json(*v.first);
    return details;
  }
  Json operator()(const Crashed& v) const {
    Json details = {{"summary", v.reason}, {"output", v.output}};
    if (v.signal) details["signal"] = *v.signal;
    return details;
  }
  Json operator()(const TimedOut& v) const {
    return {{"limit_ms", v.limit.count()}, {"phase", v.phase}};
  }
  Json operator()(const OutOfMemory& v) const { return {{"summary", v.reason}}; }
  Json operator()(const Tampered& v) const { return {{"rule", v.rule}, {"summary", v.reason}}; }
  Json operator()(const ImpossibleTime& v) const { return {{"summary", v.reason}}; }
  Json operator()(const ReferenceFailed& v) const {
    return {{"reference_verdict", v.verdict}, {"summary", v.reason}};
  }
  Json operator()(const Unsupported& v) const {
    Json details = {{"summary", v.reason}};
    if (v.line) details["line"] = *v.line;
    return details;
  }
  Json operator()(const WeakCheck& v) const {
    return {{"summary", v.reason}, {"passes", v.passes}};
  }
};

std::optional<Mismatch> read_mismatch(const Json& details) {
  const auto found = details.find("first_mismatch");
  if (found == details.end()) return std::nullopt;
  return Mismatch{.output = found->at("output"),
                  .index = found->at("index").get<std::vector<std::int64_t>>(),
                  .got = found->at("got"),
                  .want = found->at("want")};
}

Verdict verdict_named(const std::string& name, const Json& d) {
  if (name == "accepted") return Accepted{};
  if (name == "did_not_compile") return DidNotCompile{d.at("log")};
  if (name == "wrong_answer") {
    return WrongAnswer{.reason = d.at("summary"),
                       .rule = d.value("rule", "tolerance"),
                       .first = read_mismatch(d),
                       .mismatches = d.at("mismatches"),
                       .compared = d.at("compared"),
                       .round = d.at("round")};
  }
  if (name == "non_deterministic") {
    return NonDeterministic{.reason = d.at("summary"), .first = read_mismatch(d)};
  }
  if (name == "crashed") {
    Crashed crashed{.reason = d.at("summary"), .output = d.at("output")};
    if (d.contains("signal")) crashed.signal = d.at("signal").get<int>();
    return crashed;
  }
  if (name == "timed_out") {
    return TimedOut{.limit = std::chrono::milliseconds(d.at("limit_ms").get<std::int64_t>()),
                    .phase = d.at("phase")};
  }
  if (name == "out_of_memory") return OutOfMemory{d.at("summary")};
  if (name == "tampered") return Tampered{.rule = d.at("rule"), .reason = d.at("summary")};
  if (name == "impossible_time") return ImpossibleTime{d.at("summary")};
  if (name == "reference_failed") {
    return ReferenceFailed{.verdict = d.at("reference_verdict"), .reason = d.at("summary")};
  }
  if (name == "weak_check") {
    return WeakCheck{.reason = d.at("summary"),
                     .passes = d.at("passes").get<std::vector<std::string>>()};
  }
  if (name != "unsupported") throw std::invalid_argument("unknown verdict " + name);
  std::optional<int> line;
  if (d.contains("line")) line = d.at("line").get<int>();
  return Unsupported{.reason = d.at("summary"), .line = line};
}

Json index_json(const Dim3& index) {
  return {index.x, index.y, index.z};
}

Dim3 read_index(const Json& json) {
  return {json.at(0), json.at(1), json.at(2)};
}

Json place_json(const Place& place) {
  Json json = {{"thread", index_json(place.thread)},
               {"block", index_json(place.block)},
               {"is_write", place.is_write},
               {"is_atomic", place.is_atomic}};
  if (place.line) json["line"] = *place.line;
  return json;
}

Place read_place(const Json& json) {
  Place place{.thread = read_index(json.at("thread")),
              .block = read_index(json.at("block")),
              .is_write = json.at("is_write"),
              .is_atomic = json.at("is_atomic")};
  if (json.contains("line")) place.line = json.at("line").get<int>();
  return place;
}

}  // namespace

Json verdict_json(const Verdict& verdict) {
  return {{"verdict", name_of(verdict)},
          {"reason", reason_of(verdict)},
          {"details", std::visit(VerdictDetails{}, verdict)}};
}

Verdict read_verdict(const Json& json) {
  return verdict_named(json.at("verdict"), json.at("details"));
}

Json finding_json(const Finding& finding) {
  Json json = {
      {"kind", finding.kind}, {"message", finding.message}, {"place", place_json(finding.place)}};
  if (!finding.array.empty()) json["array"] = finding.array;
  if (finding.index) json["index"] = *finding.index;
  if (finding.address) json["address"] = fmt::format("0x{:x}", *finding.address);
  if (finding.other) json["other"] = place_json(*finding.other);
  return json;
}

Finding read_finding(const Json& json) {
  Finding finding{.kind = json.at("kind"),
                  .message = json.at("message"),
                  .array = json.value("array", ""),
                  .place = read_place(json.at("place"))};
  if (json.contains("index")) finding.index = json.at("index").get<std::int64_t>();
  if (json.contains("address")) {
    finding.address = std::stoull(json.at("address").get<std::string>(), nullptr, 16);
  }
  if (json.contains("other")) finding.other = read_place(json.at("other"));
  return finding;
}

}  // namespace assay::wire
