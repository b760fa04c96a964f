#include "wire/metrics_request.hpp"

#include <string>
#include <utility>

#include <fmt/core.h>

#include "model/device_metrics.hpp"
#include "model/kernel_choice.hpp"
#include "model/request.hpp"
#include "wire/fields.hpp"

namespace assay::wire {
namespace {

constexpr double kLeastShare = 0.01;  // of a call's time, for a kernel to be profiled
constexpr int kMaxMetricsRuns = 10;

/// Which launches are profiled.
KernelChoice read_kernel_choice(const Field& field) {
  const Object body(field);
  body.allow_only({"name", "share", "first_of_each_grid"});
  KernelChoice choice{.name = body.string("name").value_or(""),
                      .share = body.real("share"),
                      .first_of_each_grid = body.boolean("first_of_each_grid").value_or(false)};
  if (body.find("name")) {
    if (auto mistake = mistake_in_expression(choice.name)) {
      body.errors().add(body.path_of("name"), *std::move(mistake), "value_error");
    }
  }
  if (choice.share && !(*choice.share >= kLeastShare && *choice.share <= 1)) {
    body.errors().add(body.path_of("share"),
                      fmt::format("Input should be between {} and 1: 0.05 profiles kernels that "
                                  "take 5 % of the call's time or more",
                                  kLeastShare),
                      "value_error");
  }
  return choice;
}

}  // namespace

void read_device_metrics(const Object& body, Request& request) {
  const bool explained = body.boolean("explain").value_or(false);
  const auto field = body.find("device_metrics");
  if (!field) {
    if (explained) request.device_metrics = MetricsRequest{.asked = true, .explained = true};
    return;
  }
  if (field->value().is_boolean()) {
    const bool asked = field->value().get<bool>();
    if (explained && !asked) {
      body.errors().add(body.path_of("explain"),
                        "There is nothing to explain without device_metrics", "value_error");
    }
    request.device_metrics = MetricsRequest{.asked = asked, .explained = explained};
    return;
  }
  if (!field->value().is_object()) {
    (void)field->refuse("Input should be true, false or an object with sets, sections or metrics",
                        "value_error");
    return;
  }
  const Object wanted(*field);
  wanted.allow_only({"sets", "sections", "metrics", "fresh", "kernels", "runs", "collector"});
  MetricsRequest read{
      .asked = true, .explained = explained, .fresh = wanted.boolean("fresh").value_or(false)};
  for (const auto& [key, into] :
       {std::pair{"sets", &read.wanted.sets}, std::pair{"sections", &read.wanted.sections},
        std::pair{"metrics", &read.wanted.metrics}}) {
    *into = wanted.strings(key);
    for (const std::string& name : *into) {
      if (is_profiler_name(name)) continue;
      wanted.errors().add(
          wanted.path_of(key),
          fmt::format(
              "'{}' cannot be a name of Nsight Compute: use letters, digits, '_', '.' and '-'",
              name.substr(0, 80)),
          "value_error");
    }
  }
  if (const auto runs = wanted.find("runs")) {
    read.runs = static_cast<int>(runs->read_int_within(1, kMaxMetricsRuns).value_or(1));
  }
  if (const auto collector = wanted.find("collector")) {
    read.collector = collector->read_enum(kMetricsCollectorNames).value_or(kUsualCollector);
  }
  if (const auto kernels = wanted.find("kernels")) read.kernels = read_kernel_choice(*kernels);
  request.device_metrics = std::move(read);
}

}  // namespace assay::wire
