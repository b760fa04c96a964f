#include "host_launches.hpp"

#include <utility>

namespace assay::simt {

HostLaunches& HostLaunches::instance() {
  static auto* const launches = new HostLaunches;  // used by static destructors of programs
  return *launches;
}

void HostLaunches::configure(const assay_simt_launch_options& options) {
  const std::lock_guard lock(mutex_);
  options_ = {};
  options_.seed = options.seed;
  options_.sanitize = options.sanitize;
  options_.threads = options.threads;
}

assay_simt_launch_options HostLaunches::options() {
  const std::lock_guard lock(mutex_);
  return options_;
}

void HostLaunches::add(const assay_simt_report& report) {
  const std::lock_guard lock(mutex_);
  if (report_.status == 0) report_.status = report.status;
  report_.finding_total += report.finding_total;
  for (std::uint32_t i = 0; i < report.finding_count; ++i) {
    if (report_.finding_count == ASSAY_SIMT_MAX_FINDINGS) break;
    report_.findings[report_.finding_count++] = report.findings[i];
  }
}

assay_simt_report HostLaunches::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(report_, {});
}

}  // namespace assay::simt

extern "C" {

void assay_simt_configure_host_launches(const assay_simt_launch_options* options) {
  static constexpr assay_simt_launch_options kPlain{};
  assay::simt::HostLaunches::instance().configure(options != nullptr ? *options : kPlain);
}

void assay_simt_take_host_report(assay_simt_report* report) {
  *report = assay::simt::HostLaunches::instance().take();
}
}
