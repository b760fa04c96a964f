#include "host_launches.hpp"

#include <iterator>
#include <utility>

namespace assay::simt {
namespace {

std::uintptr_t address_of(const volatile void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

/// The first argument, counted from 0, that points into an array; their number where none does.
std::size_t argument_into(const LaunchSpec& spec, std::uintptr_t base, std::uint64_t size) {
  std::size_t i = 0;
  while (i < spec.pointer_count && address_of(spec.pointers[i].value) - base >= size) ++i;
  return i;
}

}  // namespace

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

void HostLaunches::declare(const assay_simt_allocation& array) {
  const std::lock_guard lock(mutex_);
  const std::uintptr_t base = address_of(array.base);
  auto at = arrays_.upper_bound(base);
  if (at != arrays_.begin() && std::prev(at)->first + std::prev(at)->second.size > base) --at;
  while (at != arrays_.end() && at->first < base + array.size) at = arrays_.erase(at);
  if (array.size == 0) return;
  arrays_[base] = {array.size, array.name != nullptr ? array.name : "", array.element_size,
                   array.initialised};
}

void HostLaunches::forget(const void* base) {
  const std::lock_guard lock(mutex_);
  arrays_.erase(address_of(base));
}

NamedArrays HostLaunches::arrays(const LaunchSpec& spec) {
  const std::lock_guard lock(mutex_);
  NamedArrays known;
  known.names.reserve(arrays_.size());  // the list points to their text
  for (const auto& [base, array] : arrays_) {
    std::string name = array.name;
    std::uint32_t element_size = array.element_size;
    if (const std::size_t i = argument_into(spec, base, array.size);
        name.empty() && i < spec.pointer_count) {
      name = "argument " + std::to_string(i + 1) + " of " + spec.name;
      element_size = spec.pointers[i].element_size;
    }
    if (name.empty()) name = "an array of " + std::to_string(array.size) + " bytes";
    known.names.push_back(std::move(name));
    known.list.push_back({reinterpret_cast<void*>(base), array.size, known.names.back().c_str(),
                          element_size, array.initialised});
  }
  return known;
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

void assay_simt_declare_array(const assay_simt_allocation* array) {
  assay::simt::HostLaunches::instance().declare(*array);
}

void assay_simt_forget_array(const void* base) {
  assay::simt::HostLaunches::instance().forget(base);
}

void assay_simt_take_host_report(assay_simt_report* report) {
  *report = assay::simt::HostLaunches::instance().take();
}
}
