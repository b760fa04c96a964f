#include "cli/report_request.hpp"

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "profile/manifest.hpp"

namespace assay::cli {
namespace {

std::string text_of(const std::string& value) {
  return value;
}
std::string text_of(double value) {
  return fmt::format("{}", value);
}
std::string text_of(std::size_t value) {
  return fmt::format("{}", value);
}
std::string text_of(const std::optional<double>& value) {
  return value ? text_of(*value) : "";
}

void read(const std::string& text, std::string& value) {
  value = text;
}
void read(const std::string& text, double& value) {
  value = std::strtod(text.c_str(), nullptr);
}
void read(const std::string& text, std::size_t& value) {
  value = std::strtoull(text.c_str(), nullptr, 10);
}
void read(const std::string& text, std::optional<double>& value) {
  read(text, value.emplace());
}

/// Calls `visit` with each key, what it stands for in the request, and what that is if not given.
template <class Request, class Visit>
void each(Request& request, Visit visit) {
  const ReportRequest usual;
  visit("stages", request.stages, usual.stages);
  visit("model", request.peak.model, usual.peak.model);
  visit("device", request.peak.device, usual.peak.device);
  visit("dtype", request.peak.type, usual.peak.type);
  visit("device_count", request.peak.devices, usual.peak.devices);
  visit("clock_mhz", request.peak.clock_mhz, usual.peak.clock_mhz);
  visit("peak_tflops", request.peak.peak_tflops, usual.peak.peak_tflops);
  visit("then_ncu", request.then_ncu.kernels, usual.then_ncu.kernels);
  visit("ncu_set", request.then_ncu.set, usual.then_ncu.set);
  visit("ncu_range", request.then_ncu.range, usual.then_ncu.range);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> texts_of(const ReportRequest& request) {
  std::vector<std::pair<std::string, std::string>> out;
  each(request, [&](const char* key, const auto& value, const auto& usual) {
    if (value != usual) out.emplace_back(key, text_of(value));
  });
  return out;
}

void fill_in(ReportRequest& request, std::string_view manifest) {
  each(request, [&](const char* key, auto& value, const auto& usual) {
    if (value != usual) return;
    const std::string text = profile::manifest_text(manifest, key);
    if (!text.empty()) read(text, value);
  });
}

}  // namespace assay::cli
