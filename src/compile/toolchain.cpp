#include "compile/toolchain.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "compile/compiler.hpp"
#include "compile/compiler_run.hpp"
#include "compile/toolchain_files.hpp"
#include "compile/work_area.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "process/run_captured.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kLongestRun{10};

Digest fingerprint_of(const Compiler& compiler, const ToolchainRecipe& recipe) {
  Hasher hasher;
  hasher.field("assay toolchain 1").field(recipe.fingerprint);
  compiler.hash_into(hasher);
  return hasher.finish();
}

Result<void> make_directory(const fs::path& path) {
  std::error_code failure;
  fs::create_directories(path, failure);
  if (failure) {
    return fail(ErrorCode::internal, "create " + path.string() + ": " + failure.message());
  }
  return {};
}

/// The compiler runs as the jail's user and writes beside the headers it precompiles.
Result<void> give_all_to_jail(const fs::path& directory) {
  if (auto given = process::give_to_jail(directory); !given) return given;
  std::error_code failure;
  for (const auto& item : fs::recursive_directory_iterator(directory, failure)) {
    if (!item.is_directory()) continue;
    if (auto given = process::give_to_jail(item.path()); !given) return given;
  }
  return {};
}

}  // namespace

Toolchain::Toolchain(Compiler compiler, ToolchainRecipe recipe, const fs::path& parent,
                     const WorkArea& work, const process::JailSupport& jails, const Clock& clock)
    : compiler_(std::move(compiler)),
      recipe_(std::move(recipe)),
      fingerprint_(fingerprint_of(compiler_, recipe_)),
      directory_(parent / fingerprint_.hex()),
      work_(work),
      jails_(jails),
      clock_(clock),
      thread_([this](const std::stop_token& stop) { work_until(stop); }) {}

Toolchain::~Toolchain() = default;

Result<fs::path> Toolchain::wait_ready(const Deadline& deadline, const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  if (ready_) return directory_;
  const std::uint64_t seen = attempts_;
  wanted_ = true;
  changed_.notify_all();
  changed_.wait_for(mutex_, stop, deadline.remaining(), [&] {
    mutex_.assert_held();
    return ready_ || attempts_ > seen;
  });
  if (ready_) return directory_;
  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "stopped before builds could start");
  if (attempts_ > seen && last_failure_) return std::unexpected(*last_failure_);
  return fail(ErrorCode::unavailable, "the toolchain was not ready before the deadline");
}

void Toolchain::work_until(const std::stop_token& stop) {
  while (true) {
    {
      const MutexLock lock(mutex_);
      const bool wanted = changed_.wait(mutex_, stop, [&] {
        mutex_.assert_held();
        return wanted_;
      });
      if (!wanted) return;
    }
    auto prepared = prepare(stop);
    if (prepared) keep_directory(directory_, work_, clock_);
    const MutexLock lock(mutex_);
    wanted_ = false;
    ready_ = prepared.has_value();
    if (!prepared) last_failure_ = std::move(prepared).error().while_doing("prepare a toolchain");
    ++attempts_;
    changed_.notify_all();
    if (ready_) return;
  }
}

Result<void> Toolchain::prepare(const std::stop_token& stop) const {
  if (verify_directory(directory_)) return {};
  work_.discard(directory_);
  if (auto made = make_directory(directory_.parent_path()); !made) return made;
  ASSAY_TRY(const TempDir staged, work_.make_directory("toolchain-"));
  if (auto written = recipe_.write_files(staged.path()); !written) return written;
  if (auto given = give_all_to_jail(staged.path()); !given) return given;
  if (auto done = run_all(staged.path(), stop); !done) return done;
  if (auto sealed = seal_directory(staged.path()); !sealed) return sealed;
  if (::rename(staged.path().c_str(), directory_.c_str()) == 0) return {};
  return verify_directory(directory_);  // another process was first
}

Result<void> Toolchain::run_all(const fs::path& directory, const std::stop_token& stop) const {
  std::vector<std::future<Result<void>>> runs;  // at once: the first job waits for the last of them
  for (auto& arguments : recipe_.compiler_runs(directory)) {
    runs.push_back(std::async(std::launch::async, [&, arguments = std::move(arguments)] {
      return run(arguments, directory, stop);
    }));
  }
  Result<void> all;
  for (auto& one : runs) {
    auto done = one.get();
    if (all) all = std::move(done);
  }
  return all;
}

Result<void> Toolchain::run(std::vector<std::string> arguments, const fs::path& directory,
                            const std::stop_token& stop) const {
  const CompilerCall call{.program = compiler_.path,
                          .arguments = std::move(arguments),
                          .working_directory = directory,
                          .readable = recipe_.readable,
                          .writable = {directory},
                          .limits = recipe_.limits};
  ASSAY_TRY(const process::CapturedRun run,
            run_compiler(call, jails_, Deadline(clock_, kLongestRun), stop));
  if (succeeded(run)) return {};
  return fail(ErrorCode::internal,
              fmt::format("{} {}: {}", compiler_.name(), describe_end(run), run.output));
}

ToolchainOnDemand::ToolchainOnDemand(Compiler compiler, ToolchainRecipe recipe, fs::path parent,
                                     const WorkArea& work, const process::JailSupport& jails,
                                     const Clock& clock)
    : compiler_(std::move(compiler)),
      recipe_(std::move(recipe)),
      parent_(std::move(parent)),
      work_(work),
      jails_(jails),
      clock_(clock) {}

Toolchain& ToolchainOnDemand::get() {
  const MutexLock lock(mutex_);
  if (toolchain_ == nullptr) {
    toolchain_ = std::make_unique<Toolchain>(compiler_, recipe_, parent_, work_, jails_, clock_);
  }
  return *toolchain_;
}

}  // namespace assay::compile
