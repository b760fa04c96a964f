#include "process/jail_plan.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/result.hpp"
#include "process/jail_profile.hpp"

namespace assay::process {
namespace {

/// Both ends are the same executable, so fields are written in order, in the machine's own format.
class Writer {
 public:
  void operator()(std::uint64_t value) {
    std::array<char, sizeof(value)> raw{};
    std::memcpy(raw.data(), &value, sizeof(value));
    bytes.append(raw.data(), raw.size());
  }
  void operator()(std::string_view text) {
    (*this)(std::uint64_t{text.size()});
    bytes.append(text);
  }
  std::string bytes;
};

/// Gives zeros and empty strings past the end, and remembers that it did.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <class Number>
    requires std::is_arithmetic_v<Number>
  void operator()(Number& into) {
    std::uint64_t value = 0;
    if (rest_.size() < sizeof(value)) {
      short_ = true;
      return;
    }
    std::memcpy(&value, rest_.data(), sizeof(value));
    rest_.remove_prefix(sizeof(value));
    into = static_cast<Number>(value);
  }
  void operator()(std::string& into) {
    std::uint64_t size = 0;
    (*this)(size);
    if (size > rest_.size()) {
      short_ = true;
      return;
    }
    into = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  [[nodiscard]] bool whole() const { return !short_ && rest_.empty(); }
  [[nodiscard]] bool failed() const { return short_; }

 private:
  std::string_view rest_;
  bool short_ = false;
};

template <class Item, class EachField>
void write_list(Writer& write, const std::vector<Item>& items, EachField each) {
  write(std::uint64_t{items.size()});
  for (const Item& item : items) each(item);
}

template <class Item, class EachField>
void read_list(Reader& read, std::vector<Item>& items, EachField each) {
  std::uint64_t count = 0;
  read(count);
  for (std::uint64_t i = 0; i < count && !read.failed(); ++i) each(items.emplace_back());
}

Error malformed() {
  return {ErrorCode::internal, "a malformed message between the jail and its parent"};
}

}  // namespace

std::string encode(const JailPlan& plan) {
  Writer write;
  const auto text = [&](const std::string& item) { write(std::string_view(item)); };
  write_list(write, plan.argv, text);
  write_list(write, plan.environment, text);
  text(plan.working_directory);
  write_list(write, plan.descriptor_numbers,
             [&](int number) { write(static_cast<std::uint64_t>(number)); });
  for (const bool flag : {plan.pid_namespace, plan.mount_namespace, plan.private_proc,
                          plan.host_name, plan.change_identity, plan.restrict,
                          plan.limit_private_memory, plan.limit_user_processes, plan.loopback}) {
    write(std::uint64_t{flag});
  }
  write(static_cast<std::uint64_t>(plan.landlock));
  write(static_cast<std::uint64_t>(plan.kept));
  write_list(write, plan.binds, [&](const Bind& bind) {
    text(bind.host.string());
    text(bind.inside.string());
    write(std::uint64_t{bind.writable});
    write(std::uint64_t{bind.optional});
  });
  const Limits& limits = plan.limits;
  for (const std::uint64_t limit :
       {limits.memory_bytes, std::uint64_t{limits.processes}, limits.tmp_bytes, limits.file_bytes,
        std::uint64_t{limits.open_files}, static_cast<std::uint64_t>(limits.cpu_time.count())}) {
    write(limit);
  }
  text(plan.seccomp_program);
  return write.bytes;
}

Result<JailPlan> decode_plan(std::string_view bytes) {
  JailPlan plan;
  Reader read(bytes);
  const auto item = [&](auto& into) { read(into); };
  read_list(read, plan.argv, item);
  read_list(read, plan.environment, item);
  read(plan.working_directory);
  read_list(read, plan.descriptor_numbers, item);
  for (bool* flag : {&plan.pid_namespace, &plan.mount_namespace, &plan.private_proc,
                     &plan.host_name, &plan.change_identity, &plan.restrict,
                     &plan.limit_private_memory, &plan.limit_user_processes, &plan.loopback}) {
    read(*flag);
  }
  read(plan.landlock);
  std::uint8_t kept = 0;
  read(kept);
  plan.kept = static_cast<KeptCapability>(kept);
  read_list(read, plan.binds, [&](Bind& bind) {
    std::string host;
    std::string inside;
    read(host);
    read(inside);
    bind.host = host;
    bind.inside = inside;
    read(bind.writable);
    read(bind.optional);
  });
  Limits& limits = plan.limits;
  std::int64_t seconds = 0;
  read(limits.memory_bytes);
  read(limits.processes);
  read(limits.tmp_bytes);
  read(limits.file_bytes);
  read(limits.open_files);
  read(seconds);
  limits.cpu_time = std::chrono::seconds(seconds);
  read(plan.seccomp_program);
  if (!read.whole()) return std::unexpected(malformed());
  return plan;
}

std::string encode(const InitReport& report) {
  Writer write;
  write(std::uint64_t{report.index()});
  if (const auto* failed = std::get_if<SetupFailed>(&report)) write(failed->message);
  if (const auto* failed = std::get_if<ExecFailed>(&report)) {
    write(static_cast<std::uint64_t>(failed->error_number));
  }
  if (const auto* ended = std::get_if<Ended>(&report)) {
    write(static_cast<std::uint64_t>(ended->wait_status));
    write(ended->peak_memory_bytes);
  }
  return write.bytes;
}

Result<InitReport> decode_report(std::string_view bytes) {
  Reader read(bytes);
  std::size_t index = std::variant_npos;
  read(index);
  InitReport report;
  if (index == InitReport(SetupFailed{}).index()) {
    read(report.emplace<SetupFailed>().message);
  } else if (index == InitReport(ExecFailed{}).index()) {
    read(report.emplace<ExecFailed>().error_number);
  } else if (index == InitReport(Ended{}).index()) {
    Ended& ended = report.emplace<Ended>();
    read(ended.wait_status);
    read(ended.peak_memory_bytes);
  } else if (index != InitReport(Started{}).index()) {
    return std::unexpected(malformed());
  }
  if (!read.whole()) return std::unexpected(malformed());
  return report;
}

}  // namespace assay::process
