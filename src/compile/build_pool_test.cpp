#include "compile/build_pool.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "compile/backend.hpp"
#include "compile/build_cache.hpp"
#include "compile/build_record.hpp"
#include "compile/builder.hpp"
#include "compile/extension_builder.hpp"
#include "compile/work_area.hpp"
#include "model/device_info.hpp"
#include "model/extension.hpp"
#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/verdict.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Does what the source says: "good", "bad", "slow" (until let go or stopped), "broken" (our
/// fault), "hungry" (fails, but might not the next time).
class ScriptedBackend final : public Backend {
 public:
  [[nodiscard]] KernelType type() const override { return KernelType::cuda; }
  [[nodiscard]] DeviceKind device() const override { return DeviceKind::cpu; }
  [[nodiscard]] Digest fingerprint() const override { return sha256("scripted"); }
  [[nodiscard]] std::string describe() const override { return "scripted"; }

  [[nodiscard]] Result<fs::path> wait_ready(const Deadline& /*deadline*/,
                                            const std::stop_token& /*stop*/) override {
    return fs::path("/support");
  }

  [[nodiscard]] Result<Compilation> compile(const Kernel& kernel, const fs::path& directory,
                                            const Deadline& /*deadline*/,
                                            const std::stop_token& stop) override {
    note_start();
    if (kernel.source.starts_with("slow") && !wait_until_let_go(stop)) {
      ++killed_;
      return fail(ErrorCode::cancelled, "killed");
    }
    if (kernel.source == "broken") return fail(ErrorCode::internal, "no disk");
    if (kernel.source == "bad")
      return Compilation{.record = Verdict(DidNotCompile{.log = "line 1"})};
    if (kernel.source == "hungry") {
      return Compilation{.record = Verdict(DidNotCompile{.log = "out of memory"}),
                         .lasting = false};
    }
    std::ofstream(directory / "out.so") << kernel.source;
    return Compilation{.record = CompiledKernel{.module = directory / "out.so", .entry = "k"}};
  }

  void let_go() {
    const MutexLock lock(mutex_);
    let_go_ = true;
    changed_.notify_all();
  }
  void wait_for_starts(int count) {
    const MutexLock lock(mutex_);
    changed_.wait(mutex_, [&] {
      mutex_.assert_held();
      return starts_ >= count;
    });
  }
  [[nodiscard]] int killed() const { return killed_; }

 private:
  void note_start() {
    const MutexLock lock(mutex_);
    ++starts_;
    changed_.notify_all();
  }
  bool wait_until_let_go(const std::stop_token& stop) {
    const MutexLock lock(mutex_);
    return changed_.wait(mutex_, stop, [&] {
      mutex_.assert_held();
      return let_go_;
    });
  }

  Mutex mutex_;
  std::condition_variable_any changed_;
  bool let_go_ ASSAY_GUARDED_BY(mutex_) = false;
  int starts_ ASSAY_GUARDED_BY(mutex_) = 0;
  std::atomic<int> killed_ = 0;
};

/// An extension holds the text of its first source; "bad" does not compile.
class ScriptedExtensions final : public ExtensionBuilder {
 public:
  [[nodiscard]] DeviceKind device() const override { return DeviceKind::cpu; }
  [[nodiscard]] std::string fingerprint() const override { return "scripted"; }
  [[nodiscard]] std::string describe() const override { return "scripted extensions"; }
  [[nodiscard]] Result<fs::path> wait_ready(const Deadline& /*deadline*/,
                                            const std::stop_token& /*stop*/) override {
    return fs::path("/simt");
  }
  [[nodiscard]] Result<std::variant<BuiltExtension, Compilation>> build(
      const ExtensionCall& call, const fs::path& directory, const Deadline& /*deadline*/,
      const std::stop_token& /*stop*/) override {
    const std::string& text = call.sources.at(0).text;
    if (text == "bad") return Compilation{.record = Verdict(DidNotCompile{.log = "line 2"})};
    fs::create_directory(directory);
    std::ofstream(directory / "library") << text;
    return BuiltExtension{.files = {{call.key, "library", directory / "library"}},
                          .log = "warned "};
  }
};

ExtensionCall extension(char key, const std::string& text) {
  return {.key = std::string(64, key),
          .name = "ext",
          .sources = {{.name = "cuda.cu", .text = text, .is_cuda = true}}};
}

class BuildPoolTest : public ::testing::Test {
 protected:
  BuildPoolTest() { open(); }

  void open(const std::string& code = "code") {
    pool_.reset();
    cache_ = BuildCache::open(temp_.path() / "entries", {}, work_, clock_).value();
    auto backend = std::make_unique<ScriptedBackend>();
    backend_ = backend.get();
    BackendSet backends{.extensions = {}, .kernels = {}, .missing = missing_};
    backends.extensions.push_back(std::make_unique<ScriptedExtensions>());
    backends.kernels.push_back(std::move(backend));
    pool_ = std::make_unique<BuildPool>(PoolSettings{.parallel = 2, .code = code},
                                        std::move(backends), *cache_, work_, clock_);
  }

  Result<BuildOutcome> build(const std::string& source,
                             std::chrono::nanoseconds within = seconds(30),
                             const std::stop_token& stop = {}) {
    return pool_->build({.source = source}, DeviceKind::cpu, Deadline(clock_, within), stop);
  }
  std::future<Result<BuildOutcome>> build_aside(const std::string& source,
                                                const std::stop_token& stop = {}) {
    return std::async(std::launch::async, [=, this] { return build(source, seconds(30), stop); });
  }
  Result<BuildOutcome> extend(const std::vector<ExtensionCall>& calls,
                              DeviceKind device = DeviceKind::cpu) {
    return pool_->build_extensions(calls, device, Deadline(clock_, seconds(30)), {});
  }
  void wait_for_joined(std::uint64_t count) {
    while (pool_->stats().joined < count) std::this_thread::sleep_for(milliseconds(1));
  }

  SystemClock clock_;
  TempDir temp_ = TempDir::create("/tmp", "assay-pool-").value();
  WorkArea work_ = WorkArea::open(temp_.path() / "work").value();
  const std::vector<MissingBackend> missing_ = {
      {.type = KernelType::torch, .device = DeviceKind::cpu, .reason = "no Python found"}};
  std::unique_ptr<BuildCache> cache_;
  ScriptedBackend* backend_ = nullptr;  // owned by the pool
  std::unique_ptr<BuildPool> pool_;
};

bool is_built(const Result<BuildOutcome>& outcome) {
  return outcome && std::holds_alternative<BuiltKernel>(*outcome);
}

TEST_F(BuildPoolTest, a_build_is_cached_and_outlives_the_pool) {
  const auto first = std::get<BuiltKernel>(build("good").value());
  EXPECT_FALSE(first.cache_hit);
  EXPECT_EQ(first.support_dir, "/support");
  EXPECT_EQ(read_file(first.module).value(), "good");
  EXPECT_TRUE(std::get<BuiltKernel>(build("good").value()).cache_hit);
  EXPECT_EQ(pool_->stats().builds, 1U);
  EXPECT_EQ(pool_->stats().cache_hits, 1U);
  open();
  const auto again = std::get<BuiltKernel>(build("good").value());
  EXPECT_TRUE(again.cache_hit);
  EXPECT_EQ(again.module, first.module);
  EXPECT_EQ(again.entry, "k");
}

TEST_F(BuildPoolTest, what_other_code_built_is_built_anew) {
  const std::vector<ExtensionCall> calls = {extension('a', "good")};
  ASSERT_TRUE(is_built(build("good")));
  ASSERT_TRUE(is_built(extend(calls)));
  open("newer code");
  EXPECT_FALSE(std::get<BuiltKernel>(build("good").value()).cache_hit);
  EXPECT_FALSE(std::get<BuiltKernel>(extend(calls).value()).cache_hit);
}

TEST(CodeDigest, is_a_sha256) {
  EXPECT_EQ(code_digest().size(), 64U);
  EXPECT_EQ(code_digest().find_first_not_of("0123456789abcdef"), std::string_view::npos);
}

TEST_F(BuildPoolTest, what_decides_the_module_is_part_of_the_key) {
  const Deadline deadline(clock_, seconds(30));
  Kernel kernel{.source = "good"};
  ASSERT_TRUE(pool_->build(kernel, DeviceKind::cpu, deadline, {}));
  kernel.metadata.compiler_options = {"-DN=1"};
  ASSERT_TRUE(pool_->build(kernel, DeviceKind::cpu, deadline, {}));
  kernel.metadata.compiler_options = {};
  kernel.metadata.name_expressions = {"-DN=1"};
  ASSERT_TRUE(pool_->build(kernel, DeviceKind::cpu, deadline, {}));
  kernel.metadata.kernel_name = "";
  ASSERT_TRUE(pool_->build(kernel, DeviceKind::cpu, deadline, {}));
  EXPECT_EQ(pool_->stats().builds, 4U);
  EXPECT_GT(pool_->stats().shortest, 0);
  EXPECT_GE(pool_->stats().longest, pool_->stats().shortest);
  EXPECT_GE(pool_->stats().seconds, pool_->stats().longest);
  kernel.io = IoContract{};
  ASSERT_TRUE(pool_->build(kernel, DeviceKind::cpu, deadline, {}));
  EXPECT_EQ(pool_->stats().builds, 4U);
}

TEST_F(BuildPoolTest, a_failure_of_the_source_is_remembered) {
  for (int i = 0; i < 2; ++i) {
    const auto verdict = std::get<Verdict>(build("bad").value());
    EXPECT_EQ(std::get<DidNotCompile>(verdict).log, "line 1");
  }
  EXPECT_EQ(pool_->stats().builds, 1U);
  EXPECT_EQ(pool_->stats().failures, 1U);
  EXPECT_EQ(pool_->stats().cache_hits, 1U);
}

TEST_F(BuildPoolTest, failures_of_ours_and_of_the_moment_are_not_remembered) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(build("broken").error().code(), ErrorCode::internal);
    EXPECT_TRUE(std::holds_alternative<Verdict>(build("hungry").value()));
  }
  EXPECT_EQ(pool_->stats().builds, 4U);
}

TEST_F(BuildPoolTest, equal_builds_at_once_are_built_once) {
  auto first = build_aside("slow");
  auto second = build_aside("slow");
  auto third = build_aside("slow");
  wait_for_joined(2);
  backend_->let_go();
  EXPECT_TRUE(is_built(first.get()));
  EXPECT_TRUE(is_built(second.get()));
  EXPECT_TRUE(is_built(third.get()));
  EXPECT_EQ(pool_->stats().builds, 1U);
}

TEST_F(BuildPoolTest, the_compiler_is_killed_when_the_last_who_waits_is_stopped) {
  std::stop_source stop;
  auto outcome = build_aside("slow", stop.get_token());
  backend_->wait_for_starts(1);
  stop.request_stop();
  EXPECT_EQ(outcome.get().error().code(), ErrorCode::cancelled);
  while (backend_->killed() == 0) std::this_thread::sleep_for(milliseconds(1));
  backend_->let_go();
  EXPECT_TRUE(is_built(build("slow")));
}

TEST_F(BuildPoolTest, stopping_one_who_waits_leaves_the_build_to_the_others) {
  std::stop_source stop;
  auto starter = build_aside("slow", stop.get_token());
  backend_->wait_for_starts(1);
  auto joiner = build_aside("slow");
  wait_for_joined(1);
  stop.request_stop();
  EXPECT_EQ(starter.get().error().code(), ErrorCode::cancelled);
  backend_->let_go();
  EXPECT_TRUE(is_built(joiner.get()));
  EXPECT_EQ(pool_->stats().builds, 1U);
  EXPECT_EQ(backend_->killed(), 0);
}

TEST_F(BuildPoolTest, the_deadline_of_one_who_waits_does_not_end_the_build_of_another) {
  auto patient = build_aside("slow");
  backend_->wait_for_starts(1);
  const auto hasty = build("slow", milliseconds(20));
  EXPECT_EQ(std::get<TimedOut>(std::get<Verdict>(hasty.value())).phase, "building");
  backend_->let_go();
  EXPECT_TRUE(is_built(patient.get()));
}

TEST_F(BuildPoolTest, a_build_past_its_deadline_is_timed_out_and_tried_afresh) {
  const auto late = build("slow", milliseconds(50));
  const auto& verdict = std::get<TimedOut>(std::get<Verdict>(late.value()));
  EXPECT_GT(verdict.limit, milliseconds(0));
  EXPECT_LE(verdict.limit, milliseconds(50));
  backend_->let_go();
  EXPECT_TRUE(is_built(build("slow")));
}

TEST_F(BuildPoolTest, no_more_compilers_run_than_allowed_and_waiting_for_one_is_our_fault) {
  auto first = build_aside("slow 1");
  auto second = build_aside("slow 2");
  backend_->wait_for_starts(2);
  EXPECT_EQ(build("good", milliseconds(30)).error().code(), ErrorCode::unavailable);
  backend_->let_go();
  EXPECT_TRUE(is_built(first.get()));
  EXPECT_TRUE(is_built(second.get()));
  EXPECT_EQ(pool_->stats().builds, 2U);
}

TEST_F(BuildPoolTest, stopped_before_it_begins_nothing_is_built) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(build("good", seconds(30), stop.get_token()).error().code(), ErrorCode::cancelled);
  EXPECT_EQ(pool_->stats().builds, 0U);
}

TEST_F(BuildPoolTest, a_type_without_a_backend_is_unsupported_by_name) {
  const Deadline deadline(clock_, seconds(1));
  const auto triton =
      pool_->build({.source = "x", .type = KernelType::triton}, DeviceKind::cpu, deadline, {});
  EXPECT_THAT(std::get<Unsupported>(std::get<Verdict>(triton.value())).reason,
              ::testing::HasSubstr("no backend for triton kernels on the cpu device"));
  const auto gpu = pool_->build({.source = "x"}, DeviceKind::cuda, deadline, {});
  EXPECT_THAT(std::get<Unsupported>(std::get<Verdict>(gpu.value())).reason,
              ::testing::HasSubstr("no backend for cuda kernels on the cuda device"));
}

TEST_F(BuildPoolTest, a_backend_without_its_tools_is_unsupported_for_that_reason) {
  const auto torch = pool_->build({.source = "x", .type = KernelType::torch}, DeviceKind::cpu,
                                  Deadline(clock_, seconds(1)), {});
  EXPECT_EQ(std::get<Unsupported>(std::get<Verdict>(torch.value())).reason, "no Python found");
}

TEST_F(BuildPoolTest, extensions_are_built_into_one_container_and_cached) {
  const std::vector<ExtensionCall> calls = {extension('a', "one"), extension('b', "two")};
  const auto built = std::get<BuiltKernel>(extend(calls).value());
  EXPECT_FALSE(built.cache_hit);
  EXPECT_EQ(built.support_dir, "/simt");
  EXPECT_EQ(built.compiler, "scripted extensions");
  EXPECT_EQ(built.log, "warned warned ");
  const std::string container = read_file(built.module).value();
  EXPECT_THAT(container, ::testing::StartsWith("ASSAYEXT"));
  EXPECT_THAT(container, ::testing::EndsWith("onetwo"));
  EXPECT_TRUE(std::get<BuiltKernel>(extend(calls).value()).cache_hit);
  EXPECT_EQ(pool_->stats().builds, 1U);
}

TEST_F(BuildPoolTest, same_key_of_another_extension_is_another_build) {
  for (const char* text : {"one", "two"}) {
    const auto built = std::get<BuiltKernel>(extend({extension('a', text)}).value());
    EXPECT_THAT(read_file(built.module).value(), ::testing::EndsWith(text));
  }
  ExtensionCall call = extension('a', "one");
  call.cuda_cflags = {"-DN=1"};
  EXPECT_TRUE(is_built(extend({call})));
  call.instrumented = true;
  EXPECT_TRUE(is_built(extend({call})));
  EXPECT_EQ(pool_->stats().builds, 4U);
}

TEST_F(BuildPoolTest, extension_that_does_not_compile_is_remembered_with_its_log) {
  for (int i = 0; i < 2; ++i) {
    const auto verdict =
        std::get<Verdict>(extend({extension('a', "one"), extension('b', "bad")}).value());
    EXPECT_EQ(std::get<DidNotCompile>(verdict).log, "line 2");
  }
  EXPECT_EQ(pool_->stats().failures, 1U);
}

TEST_F(BuildPoolTest, extensions_for_a_device_without_a_builder_are_unsupported) {
  const auto outcome = extend({extension('a', "one")}, DeviceKind::cuda);
  EXPECT_TRUE(std::holds_alternative<Unsupported>(std::get<Verdict>(outcome.value())));
}

TEST_F(BuildPoolTest, a_source_past_the_limit_is_refused) {
  const auto outcome = build(std::string((std::size_t{1} << 20U) + 1, ' '));
  EXPECT_TRUE(std::holds_alternative<DidNotCompile>(std::get<Verdict>(outcome.value())));
  const std::string half(std::size_t{1} << 19U, ' ');
  const auto extensions = extend({extension('a', half), extension('b', half + " ")});
  EXPECT_TRUE(std::holds_alternative<DidNotCompile>(std::get<Verdict>(extensions.value())));
}

}  // namespace
}  // namespace assay::compile
