#include "worker/python_zygote.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <variant>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/unique_fd.hpp"
#include "eval/runner.hpp"
#include "model/verdict.hpp"
#include "process/jail_support.hpp"
#include "worker/python_package.hpp"
#include "worker/python_process.hpp"
#include "worker/testkit/python.hpp"

namespace assay::worker {
namespace {

using ::testing::HasSubstr;

class PythonZygoteTest : public testkit::PythonTest {
 protected:
  static void SetUpTestSuite() {
    PythonTest::SetUpTestSuite();
    if (missing_.empty()) zygote_ = PythonZygote::start(options_, testkit::support()).value();
  }
  static void TearDownTestSuite() {
    zygote_.reset();
    PythonTest::TearDownTestSuite();
  }

  static std::unique_ptr<PythonProcess> fresh() { return zygote_->fork().value(); }

  /// Loads a source whose top level does what the test is about.
  static eval::Attempt<std::string> load(PythonProcess& runner, const std::string& statements,
                                         std::chrono::seconds limit = std::chrono::seconds(60)) {
    std::string source;
    for (const char character : statements + "\ndef kernel(x):\n  return x\n") {
      source += character == '\n' ? "\\n" : std::string(1, character);
    }
    return runner.call(R"({"op":"load","python":{"type":"torch","seed":1,"device":"cpu",)"
                       R"("metadata":{},"source":")" +
                           source + "\"}}",
                       {}, within(limit));
  }

  /// The verdict that a source's top level earns by ending its process.
  static Verdict fate_of(const std::string& statements) {
    const auto runner = fresh();
    const auto reply = load(*runner, statements);
    if (reply) return Unsupported{"it answered: " + *reply, {}};
    return std::get<eval::Fate>(reply.error()).verdict;
  }

  static inline std::unique_ptr<PythonZygote> zygote_;
};

TEST_F(PythonZygoteTest, says_what_it_has) {
  EXPECT_THAT(zygote_->hello().versions.at("torch"),
              ::testing::StartsWith(options_.interpreter.torch));
  EXPECT_THAT(zygote_->hello().missing, ::testing::IsEmpty());
}

TEST_F(PythonZygoteTest, forks_runners_that_load_sources) {
  const auto runner = fresh();
  EXPECT_TRUE(runner->alive());
  EXPECT_THAT(load(*runner, "import torch").value(), HasSubstr(R"("reply":"loaded")"));
  EXPECT_GT(runner->cpu_time().value(), std::chrono::nanoseconds::zero());
}

TEST_F(PythonZygoteTest, shows_what_a_runner_printed) {
  const auto runner = fresh();
  ASSERT_TRUE(load(*runner, "print('hello')"));
  EXPECT_EQ(runner->printed(), "hello\n");
}

TEST_F(PythonZygoteTest, a_signal_ends_a_runner_as_crashed) {
  const Verdict verdict = fate_of("import ctypes; ctypes.string_at(0)");
  ASSERT_TRUE(std::holds_alternative<Crashed>(verdict)) << reason_of(verdict);
  EXPECT_EQ(std::get<Crashed>(verdict).signal, 11);
}

TEST_F(PythonZygoteTest, an_exit_ends_a_runner_as_crashed) {
  const Verdict verdict = fate_of("import os; os._exit(0)");
  ASSERT_TRUE(std::holds_alternative<Crashed>(verdict)) << reason_of(verdict);
  EXPECT_THAT(reason_of(verdict), HasSubstr("exit code 0"));
}

TEST_F(PythonZygoteTest, a_runner_that_hangs_is_killed_at_the_deadline) {
  const auto runner = fresh();
  const auto reply = load(*runner, "while True: pass", std::chrono::seconds(1));
  ASSERT_FALSE(reply);
  EXPECT_EQ(std::get<Error>(reply.error()).code(), ErrorCode::deadline_exceeded);
}

TEST_F(PythonZygoteTest, a_runner_sees_neither_the_workers_files_nor_the_network) {
  const auto runner = fresh();
  const std::string look =
      "import os, socket\n"
      "print(os.path.exists('/root/.ssh'), os.path.exists('/etc/shadow'), os.listdir('/tmp'))\n"
      "try: socket.socket()\n"
      "except PermissionError: print('no sockets')\n"
      "try: os.unshare(0)\n"
      "except (PermissionError, AttributeError): print('no namespaces')\n"
      "print(sorted(int(f) for f in os.listdir('/proc/self/fd'))[:3], os.getppid())";
  ASSERT_TRUE(load(*runner, look));
  EXPECT_EQ(runner->printed(),
            "False False ['kernel.py']\nno sockets\nno namespaces\n[0, 1, 2] 1\n");
}

TEST_F(PythonZygoteTest, a_runner_that_touches_too_much_memory_is_out_of_memory) {
  // Spread over processes: each stays within its own limit, which Python would notice.
  const Verdict verdict = fate_of(
      "import os, time\n"
      "for _ in range(4):\n"
      "  if os.fork() == 0:\n"
      "    held = b'x' * (400 << 20)\n"
      "    time.sleep(60)\n"
      "    os._exit(0)\n"
      "held = b'x' * (400 << 20)\n"
      "os.wait()\n"
      "os._exit(1)");
  if (!testkit::support().has(process::JailPart::cgroup_memory)) {
    GTEST_SKIP() << "needs a control group for memory";
  }
  EXPECT_TRUE(std::holds_alternative<OutOfMemory>(verdict)) << reason_of(verdict);
}

TEST_F(PythonZygoteTest, a_fork_bomb_is_held_to_the_limit_of_processes) {
  const auto runner = fresh();
  const auto reply = load(*runner,
                          "import os, time\n"
                          "made = 0\n"
                          "try:\n"
                          "  while True:\n"
                          "    if os.fork() == 0: time.sleep(60)\n"
                          "    made += 1\n"
                          "except OSError: pass\n"
                          "print(made < 64)");
  ASSERT_TRUE(reply);
  EXPECT_EQ(runner->printed(), "True\n");
}

TEST_F(PythonZygoteTest, what_a_runner_leaves_running_dies_with_it) {
  auto runner = fresh();
  UniqueFd watched;
  UniqueFd held;
  {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    watched = UniqueFd(ends[0]);
    held = UniqueFd(ends[1]);
  }
  // The descriptor that comes with the frame is the first free one; every process below holds it.
  const std::string source =
      "import os, time\\n"
      "for _ in range(3):\\n"
      "  if os.fork() == 0:\\n"
      "    os.setsid()\\n"
      "    time.sleep(60)\\n"
      "def kernel(): pass";
  const auto reply = runner->call(
      R"({"op":"load","python":{"type":"torch","seed":1,"device":"cpu","metadata":{},"source":")" +
          source + "\"}}",
      std::array{held.get()}, within(std::chrono::seconds(60)));
  ASSERT_TRUE(reply);
  held.reset();
  pollfd entry{.fd = watched.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&entry, 1, 0), 0) << "nobody holds the pipe";
  runner.reset();
  EXPECT_EQ(::poll(&entry, 1, 5000), 1) << "somebody still holds the pipe";
}

TEST_F(PythonZygoteTest, descriptors_that_a_runner_has_on_their_way_stop_no_other_runner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root has users to give";
  // Linux counts them by user, and refuses all processes of that user to send more.
  const auto greedy = fresh();
  const auto reply =
      load(*greedy,
           "import array, socket\n"
           "kept = []\n"
           "try:\n"
           "  while True:\n"
           "    kept.append(socket.socketpair())\n"
           "    sent = array.array('i', [kept[0][0].fileno()] * 250)\n"
           "    kept[-1][0].sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, sent)])\n"
           "except OSError as error: print(error.errno)");
  ASSERT_TRUE(reply);
  EXPECT_EQ(greedy->printed(), std::to_string(ETOOMANYREFS) + "\n");
  const auto next = zygote_->fork();
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_THAT(load(**next, "import os; print(os.getuid())").value(), HasSubstr("loaded"));
  EXPECT_EQ((*next)->printed(), "65534\n");
}

constexpr const char* kSpinEverywhere =
    "import os, threading\n"
    "def spin():\n"
    "  while True: pass\n"
    "threading.Thread(target=spin, daemon=True).start()\n"
    "if os.fork() == 0: spin()";

TEST_F(PythonZygoteTest, a_paused_runner_computes_nothing_and_goes_on_with_the_next_command) {
  const auto runner = fresh();
  ASSERT_TRUE(load(*runner, kSpinEverywhere));
  ASSERT_TRUE(runner->pause());
  const auto before = runner->cpu_time();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(runner->cpu_time(), before);
  EXPECT_TRUE(runner->alive());
  EXPECT_THAT(load(*runner, "import torch").value(), HasSubstr(R"("reply":"loaded")"));
  EXPECT_GT(runner->cpu_time(), before);
}

TEST_F(PythonZygoteTest, a_paused_runner_dies_as_any_other) {
  const auto runner = fresh();
  ASSERT_TRUE(load(*runner, kSpinEverywhere));
  ASSERT_TRUE(runner->pause());
  runner->kill();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (runner->alive() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_FALSE(runner->alive());
  EXPECT_TRUE(runner->pause()) << "nothing is left to stop";
}

TEST_F(PythonZygoteTest, cannot_start_where_the_package_is_not) {
  PythonOptions broken = options_;
  broken.package = directory_->path() / "nothing";
  std::filesystem::create_directory(broken.package);
  const auto zygote = PythonZygote::start(broken, testkit::support());
  ASSERT_FALSE(zygote);
  EXPECT_EQ(zygote.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(zygote.error().message(), HasSubstr("No module named 'assay_runner'"));
}

TEST(PythonPackage, cannot_be_written_where_no_directory_can_be_made) {
  EXPECT_FALSE(write_python_package("/proc/nowhere"));
}

}  // namespace
}  // namespace assay::worker
