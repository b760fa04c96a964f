#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace assay::device {

/// The CUPTI of the prepared Python; empty where this machine has none.
inline std::string real_cupti() {
  const char* named = std::getenv("ASSAY_CUPTI");  // NOLINT(concurrency-mt-unsafe)
  if (named != nullptr) return named;
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
  const std::filesystem::path root =
      std::filesystem::path(home == nullptr ? "/" : home) / ".cache/assay/python/lib";
  std::error_code ignored;
  for (const auto& python : std::filesystem::directory_iterator(root, ignored)) {
    const auto file = python.path() / "site-packages/nvidia/cu13/lib/libcupti.so.13";
    if (std::filesystem::exists(file)) return file.string();
  }
  return {};
}

/// Why the library cannot be asked here; empty where it can.
inline std::string why_no_real_cupti() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return "CUPTI loads its tables in a way that sanitizers forbid; the command is tested with them";
#else
  return real_cupti().empty() ? "no CUPTI here" : "";
#endif
}

}  // namespace assay::device

#define ASSAY_NEEDS_CUPTI() \
  if (const auto why = assay::device::why_no_real_cupti(); !why.empty()) GTEST_SKIP() << why
