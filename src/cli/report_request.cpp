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

/// Calls `visit` with each key, and with what it stands for in one request and in another.
template <class Request, class Visit>
void each(Request& request, const ReportRequest& other, Visit visit) {
  visit("stages", request.stages, other.stages);
  visit("model", request.peak.model, other.peak.model);
  visit("device", request.peak.device, other.peak.device);
  visit("dtype", request.peak.type, other.peak.type);
  visit("device_count", request.peak.devices, other.peak.devices);
  visit("clock_mhz", request.peak.clock_mhz, other.peak.clock_mhz);
  visit("peak_tflops", request.peak.peak_tflops, other.peak.peak_tflops);
  visit("then_ncu", request.then_ncu.kernels, other.then_ncu.kernels);
  visit("ncu_set", request.then_ncu.set, other.then_ncu.set);
  visit("ncu_range", request.then_ncu.range, other.then_ncu.range);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> texts_of(const ReportRequest& request) {
  std::vector<std::pair<std::string, std::string>> out;
  each(request, {}, [&](const char* key, const auto& value, const auto& usual) {
    if (value != usual) out.emplace_back(key, text_of(value));
  });
  return out;
}

void fill_in(ReportRequest& request, std::string_view manifest) {
  each(request, {}, [&](const char* key, auto& value, const auto& usual) {
    if (value != usual) return;
    const std::string text = profile::manifest_text(manifest, key);
    if (!text.empty()) read(text, value);
  });
}

}  // namespace assay::cli
