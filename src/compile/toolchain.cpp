#include "compile/toolchain.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
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

constexpr std::chrono::minutes kLongestStep{10};

Digest fingerprint_of(const Compiler& compiler, const ToolchainRecipe& recipe) {
  Hasher hasher;
  hasher.field("assay toolchain 1");
  compiler.hash_into(hasher);
  for (const auto& file : recipe.files) hasher.field(file.path).field(file.text);
  for (const auto& step : recipe.steps) {
    hasher.field(std::to_string(step.arguments.size()));
    for (const std::string& argument : step.arguments) hasher.field(argument);
  }
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

Result<void> write_files(const ToolchainRecipe& recipe, const fs::path& directory) {
  for (const auto& file : recipe.files) {
    const fs::path path = directory / file.path;
    if (auto made = make_directory(path.parent_path()); !made) return made;
    if (auto written = write_file_atomically(path, file.text); !written) return written;
  }
  // The compiler runs as the jail's user and writes beside the headers it precompiles.
  if (auto given = process::give_to_jail(directory); !given) return given;
  for (const auto& item : fs::recursive_directory_iterator(directory)) {
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
  if (auto written = write_files(recipe_, staged.path()); !written) return written;
  for (const auto& step : recipe_.steps) {
    if (auto done = run_step(step, staged.path(), stop); !done) return done;
  }
  if (auto sealed = seal_directory(staged.path()); !sealed) return sealed;
  if (::rename(staged.path().c_str(), directory_.c_str()) == 0) return {};
  return verify_directory(directory_);  // another process was first
}

Result<void> Toolchain::run_step(const ToolchainRecipe::Step& step, const fs::path& directory,
                                 const std::stop_token& stop) const {
  const CompilerCall call{.program = compiler_.path,
                          .arguments = step.arguments,
                          .working_directory = directory,
                          .writable = {directory}};
  ASSAY_TRY(const process::CapturedRun run,
            run_compiler(call, jails_, Deadline(clock_, kLongestStep), stop));
  if (succeeded(run)) return {};
  return fail(ErrorCode::internal, fmt::format("{}: {} {}: {}", step.what, compiler_.name(),
                                               describe_end(run), run.output));
}

}  // namespace assay::compile
