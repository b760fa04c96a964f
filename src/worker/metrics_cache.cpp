#include "worker/metrics_cache.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/result.hpp"
#include "worker/kept_files.hpp"

namespace assay::worker {
namespace {

constexpr std::size_t kLargest = std::size_t{512} << 20U;

/// Takes the text up to `end` off the front; empty where there is no `end`.
std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  if (at == std::string_view::npos) return {};
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + 1);
  return taken;
}

}  // namespace

Result<std::unique_ptr<MetricsCache>> MetricsCache::open(std::filesystem::path directory,
                                                         std::uint64_t limit, const Clock& clock) {
  ASSAY_TRY(auto files, KeptFiles::open(std::move(directory), limit, clock));
  return std::unique_ptr<MetricsCache>(new MetricsCache(std::move(files)));
}

std::vector<KeptReport> MetricsCache::find(const Digest& key) {
  const auto content = files_->find(key, kLargest);
  std::vector<KeptReport> reports;
  std::string_view left = content ? std::string_view(*content) : std::string_view();
  while (!left.empty()) {
    const std::string_view range = take_until(left, '\n');
    const std::string_view size = take_until(left, '\n');
    std::size_t bytes = 0;
    const auto parsed = std::from_chars(size.data(), size.data() + size.size(), bytes);
    if (parsed.ec != std::errc() || bytes > left.size()) return {};
    reports.push_back({.range = std::string(range), .bytes = std::string(left.substr(0, bytes))});
    left.remove_prefix(bytes);
  }
  return reports;
}

void MetricsCache::keep(const Digest& key, const std::vector<KeptReport>& reports) {
  std::string content;
  for (const KeptReport& report : reports) {
    content += fmt::format("{}\n{}\n", report.range, report.bytes.size());
    content += report.bytes;
  }
  if (content.size() <= kLargest) files_->keep(key, content);
}

}  // namespace assay::worker
