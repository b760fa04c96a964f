#include "worker/python_pool.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>
#include <time.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/os.hpp"
#include "base/unique_fd.hpp"
#include "eval/runner.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"
#include "model/python_protocol.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"
#include "worker/python_runner.hpp"
#include "worker/python_zygote.hpp"
#include "worker/testkit/python.hpp"

namespace assay::worker {
namespace {

using ::testing::HasSubstr;

constexpr int kStandardError = 2;

/// Our own: the jails' inits.
std::set<pid_t> children() {
  std::set<pid_t> result;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::istringstream list(read_file(task.path() / "children").value_or(""));
    for (pid_t pid = 0; list >> pid;) result.insert(pid);
  }
  return result;
}

/// One pool for all: a zygote of its own takes seconds to start.
class PythonPoolTest : public testkit::PythonTest {
 protected:
  static void SetUpTestSuite() {
    PythonTest::SetUpTestSuite();
    if (missing_.empty()) pool_.emplace(options_, testkit::support(), 1, log());
  }
  static void TearDownTestSuite() {
    pool_.reset();
    PythonTest::TearDownTestSuite();
  }
  static const Log& log() {
    static const Log kLog(kStandardError);
    return kLog;
  }

  static eval::Bounds patience() { return within(std::chrono::seconds(120)); }

  /// What became of a source that is loaded into a fresh runner.
  static eval::Attempt<PythonReply> load(PythonRunner& runner, const std::string& source,
                                         KernelType type = KernelType::torch) {
    const Kernel kernel{.source = source, .type = type};
    return runner.call(PythonLoad{.kernel = &kernel, .seed = 1}, {},
                       within(std::chrono::seconds(60)));
  }

  static Verdict verdict_of(const eval::Attempt<PythonReply>& attempt) {
    if (attempt) return Accepted{};
    const auto* fate = std::get_if<eval::Fate>(&attempt.error());
    if (fate != nullptr) return fate->verdict;
    return Unsupported{std::get<Error>(attempt.error()).message(), {}};
  }

  static inline std::optional<PythonPool> pool_;
};

TEST_F(PythonPoolTest, hands_out_runners_that_load_kernels) {
  for (int i = 0; i < 3; ++i) {
    const auto runner = pool_->fresh(patience()).value();
    const auto reply = load(*runner, "def get_inputs(): return []\ndef kernel(): return 1");
    ASSERT_TRUE(reply) << reason_of(verdict_of(reply));
    EXPECT_TRUE(std::get<Loaded>(*reply).has_inputs);
  }
}

TEST_F(PythonPoolTest, gives_a_refusal_as_the_kernels_fate) {
  const auto runner = pool_->fresh(patience()).value();
  const Verdict verdict = verdict_of(load(*runner, "import nothing_of_this_name"));
  ASSERT_TRUE(std::holds_alternative<DidNotCompile>(verdict)) << reason_of(verdict);
  EXPECT_THAT(std::get<DidNotCompile>(verdict).log, HasSubstr("line 1, in <module>"));
}

TEST_F(PythonPoolTest, shows_what_a_crashed_kernel_printed_before_its_traceback) {
  const auto runner = pool_->fresh(patience()).value();
  ASSERT_TRUE(load(*runner, "def kernel():\n  print('so far')\n  raise ValueError('boom')"));
  const Verdict verdict =
      verdict_of(runner->call(RunCommand{}, {}, within(std::chrono::seconds(60))));
  ASSERT_TRUE(std::holds_alternative<Crashed>(verdict)) << reason_of(verdict);
  EXPECT_EQ(std::get<Crashed>(verdict).reason, "ValueError: boom");
  EXPECT_THAT(std::get<Crashed>(verdict).output, ::testing::StartsWith("so far\nTraceback"));
}

TEST_F(PythonPoolTest, a_reply_that_is_none_is_tampering) {
  const auto runner = pool_->fresh(patience()).value();
  const Verdict verdict = verdict_of(load(*runner,
                                          "import os\nfor n in range(3, 64):\n  try: os.write(n, "
                                          "b'\\x02\\0\\0\\0[]')\n  except OSError: "
                                          "pass\n"));
  EXPECT_TRUE(std::holds_alternative<Tampered>(verdict)) << reason_of(verdict);
}

TEST_F(PythonPoolTest, starts_another_zygote_when_one_has_died) {
  PythonPool pool(options_, testkit::support(), 0, log());
  const std::set<pid_t> before = children();
  {
    const auto runner = pool.fresh(patience()).value();
  }
  for (const pid_t child : children()) {
    if (!before.contains(child)) ::kill(child, SIGKILL);
  }
  const auto runner = pool.fresh(patience());
  ASSERT_TRUE(runner) << runner.error().message();
  EXPECT_TRUE(load(**runner, "def kernel(): pass"));
}

TEST_F(PythonPoolTest, fails_where_python_cannot_be_started) {
  PythonOptions broken = options_;
  broken.interpreter.program = "/bin/false";
  PythonPool pool(broken, testkit::support(), 0, log());
  const auto runner = pool.fresh(patience());
  ASSERT_FALSE(runner);
  EXPECT_EQ(runner.error().code(), ErrorCode::resource_exhausted);
  EXPECT_THAT(runner.error().message(), HasSubstr("/bin/false"));
}

TEST_F(PythonPoolTest, runner_that_cannot_start_ahead_does_not_end_its_zygote) {
  const TempDir folder = TempDir::create("/tmp", "assay-pool-").value();
  const UniqueFd written(
      ::open((folder.path() / "log").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600));
  const Log kept(written.get());
  PythonOptions without_gpu = options_;
  without_gpu.device = {.kind = DeviceKind::cuda, .uuid = "GPU-of-nobody"};
  PythonPool pool(without_gpu, testkit::support(), 1, kept);
  const auto logged = [&] { return read_file(folder.path() / "log").value(); };
  const Deadline deadline = patience().deadline;
  while (logged().find("cannot start Python ahead") == std::string::npos) {
    ASSERT_GT(deadline.remaining().count(), 0) << logged();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(logged().find("replacing"), std::string::npos) << logged();

  const auto runner = pool.fresh(patience());
  ASSERT_FALSE(runner);
  EXPECT_EQ(runner.error().code(), ErrorCode::resource_exhausted);
  EXPECT_THAT(runner.error().message(), HasSubstr("start a Python runner"));
}

TEST_F(PythonPoolTest, who_gives_up_waiting_leaves_the_zygote_starting) {
  PythonPool pool(options_, testkit::support(), 0, log());
  std::stop_source given_up;
  given_up.request_stop();
  const auto none = pool.fresh({within(std::chrono::seconds(60)).deadline, given_up.get_token()});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), ErrorCode::cancelled);
  const auto late = pool.fresh(within(std::chrono::milliseconds(1)));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), ErrorCode::resource_exhausted);
  EXPECT_TRUE(pool.fresh(patience()));
}

TEST_F(PythonPoolTest, runner_that_is_killed_with_its_zygote_is_not_the_kernels_doing) {
  const std::set<pid_t> before = children();
  PythonPool pool(options_, testkit::support(), 0, log());
  const auto runner = pool.fresh(patience()).value();
  for (const pid_t child : children()) {
    if (!before.contains(child)) ::kill(child, SIGKILL);
  }
  const auto reply = load(*runner, "while True: pass");  // signals take a moment to arrive
  ASSERT_FALSE(reply);
  ASSERT_TRUE(std::holds_alternative<Error>(reply.error()));
  EXPECT_EQ(std::get<Error>(reply.error()).code(), ErrorCode::resource_exhausted);
}

}  // namespace
}  // namespace assay::worker
