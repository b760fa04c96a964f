// What hostile programs can do from inside a jail, with every part this machine has.
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/unique_fd.hpp"
#include "process/exit_status.hpp"
#include "process/frame_channel.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "process/run_captured.hpp"
#include "process/subprocess.hpp"
#include "process/testkit/jail_fixture.hpp"

namespace assay::process {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using testkit::full_support;
using testkit::hostile;
using testkit::in;
using testkit::kLifeLineNumber;
using testkit::LifeLine;
using testkit::run;

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20U;

TEST(Jail, shows_a_crash_as_the_signal_it_was) {
  EXPECT_EQ(run(hostile("segfault")).status, ExitStatus(Signalled{SIGSEGV}));
  EXPECT_EQ(run(hostile("abort")).status, ExitStatus(Signalled{SIGABRT}));
}

TEST(Jail, ends_an_endless_loop_at_the_deadline) {
  const auto result = run_captured(hostile("loop"), full_support(), in(100ms), {}, 1000).value();
  EXPECT_EQ(result.status, std::nullopt);
  EXPECT_GE(result.elapsed, 100ms);
  EXPECT_LT(result.elapsed, 1100ms);
}

TEST(Jail, limits_processor_time) {
  Command command = hostile("loop");
  command.jail->limits.cpu_time = 1s;
  EXPECT_EQ(run(command).status, ExitStatus(Signalled{SIGXCPU}));
}

TEST(Jail, bounds_a_fork_bomb_and_leaves_none_of_it) {
  ASSAY_NEEDS(cgroup_pids);
  LifeLine line;
  Command command = hostile("fork_bomb");
  command.jail->limits.processes = 20;
  command.descriptors.emplace_back(line.end(), kLifeLineNumber);
  // The program itself is the twentieth; under a sanitizer each has a thread more.
  EXPECT_THAT(run(command).output, MatchesRegex("EAGAIN after 1[0-9]\n"));
  EXPECT_TRUE(line.cut(0ms));
}

TEST(Jail, kills_a_memory_hog_and_says_so) {
  ASSAY_NEEDS(cgroup_memory);
  Command command = hostile("eat_memory", "400");
  command.jail->limits.memory_bytes = 200 * kMebibyte;
  const CapturedRun result = run(command);
  EXPECT_EQ(result.status, ExitStatus(OverMemory{200 * kMebibyte}));
  EXPECT_GT(result.peak_memory_bytes, 150 * kMebibyte);

  command.argv[2] = "eat_memory_in_a_child";
  EXPECT_EQ(run(command).status, ExitStatus(OverMemory{200 * kMebibyte}));
  command.argv[3] = "10";
  EXPECT_EQ(run(command).status, ExitStatus(Exited{0}));
}

TEST(Jail, gives_a_small_private_tmp_that_vanishes) {
  ASSAY_NEEDS(mount_namespace);
  Command command = hostile("fill_disk", "/tmp");
  command.jail->limits.tmp_bytes = 8 * kMebibyte;
  EXPECT_THAT(run(command).output, MatchesRegex("ENOSPC after [78] MiB\n"));
  command.argv[3] = "/dev/shm";
  EXPECT_THAT(run(command).output, MatchesRegex("ENOSPC after [78] MiB\n"));
  EXPECT_FALSE(std::filesystem::exists("/tmp/filler"));
  EXPECT_EQ(run(hostile("list_directory", "/tmp")).output.find("filler"), std::string::npos);
}

TEST(Jail, limits_the_size_of_a_file) {
  Command command = hostile("fill_disk", "/tmp");
  command.jail->limits.file_bytes = 3 * kMebibyte;
  EXPECT_EQ(run(command).status, ExitStatus(Signalled{SIGXFSZ}));
}

TEST(Jail, has_a_read_only_root) {
  ASSAY_NEEDS(mount_namespace);
  for (const char* path : {"/mark", "/usr/mark", "/etc/mark", "/dev/mark"}) {
    EXPECT_EQ(run(hostile("write_file", path)).output, "open: EROFS\n") << path;
  }
  EXPECT_EQ(run(hostile("write_file", "/dev/null")).output, "open: allowed\nwrite: allowed\n");
}

TEST(Jail, cannot_see_files_outside_its_binds) {
  ASSAY_NEEDS(mount_namespace);
  const auto secrets = TempDir::create(std::filesystem::current_path(), "secret-").value();
  const auto shown = TempDir::create(std::filesystem::temp_directory_path(), "shown-").value();
  std::filesystem::permissions(secrets.path(), std::filesystem::perms::all);
  std::filesystem::permissions(shown.path(), std::filesystem::perms::all);
  ASSERT_TRUE(write_file_atomically(secrets.path() / "f", "x"));
  ASSERT_TRUE(write_file_atomically(shown.path() / "f", "x"));
  EXPECT_EQ(run(hostile("read_file", (secrets.path() / "f").string())).output, "open: ENOENT\n");
  EXPECT_EQ(run(hostile("read_file", "/etc/shadow")).output, "open: ENOENT\n");
  EXPECT_EQ(run(hostile("read_file", "/proc/1/root/etc/passwd")).output, "open: EACCES\n");
  EXPECT_EQ(run(hostile("read_file", "/proc/1/mem")).output, "open: EACCES\n");

  Command command = hostile("read_file", (shown.path() / "f").string());
  command.jail->binds.push_back({.host = shown.path(), .inside = shown.path()});
  EXPECT_EQ(run(command).output, "open: allowed\n");
  command = hostile("write_file", (shown.path() / "g").string());
  command.jail->binds.push_back({.host = shown.path(), .inside = shown.path()});
  EXPECT_EQ(run(command).output, "open: EROFS\n");
}

TEST(Jail, writes_into_writable_binds_as_somebody_who_is_not_root) {
  ASSAY_NEEDS(mount_namespace);
  const auto work = TempDir::create(std::filesystem::temp_directory_path(), "work-").value();
  ASSERT_TRUE(give_to_jail(work.path()));
  Command command = hostile("write_file", "/output/result");
  command.jail->binds.push_back({.host = work.path(), .inside = "/output", .writable = true});
  command.working_directory = "/output";
  EXPECT_EQ(run(command).output, "open: allowed\nwrite: allowed\n");
  EXPECT_EQ(read_file(work.path() / "result").value(), "mark");
  struct stat info{};
  ASSERT_EQ(::stat((work.path() / "result").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, ::geteuid() == 0 ? kJailId : ::geteuid());
  command.argv[2] = "print_directory";
  EXPECT_EQ(run(command).output, "/output\n");
}

TEST(Jail, cannot_give_its_files_away_to_a_missing_directory) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  EXPECT_FALSE(give_to_jail("/nonexistent"));
}

TEST(Jail, reads_past_a_gigabyte_of_output) {
  constexpr std::uint64_t kPrinted = 1024 * kMebibyte;
  const auto result =
      run_captured(hostile("print", "1024"), full_support(), in(60s), {}, 1000).value();
  EXPECT_EQ(result.status, ExitStatus(Exited{0}));
  EXPECT_EQ(result.output, std::string(1000, 'y'));
  EXPECT_EQ(result.dropped_bytes, kPrinted - 1000);
}

TEST(Jail, inherits_only_the_descriptors_it_is_given) {
  EXPECT_EQ(run(hostile("list_descriptors")).output, "0 1 2 ");
  Command command = hostile("list_descriptors");
  command.descriptors = {{0, 7}, {2, 3}, {1, 100}};
  EXPECT_EQ(run(command).output, "0 1 2 3 7 100 ");
}

TEST(Jail, can_close_and_write_to_every_descriptor_without_effect_on_us) {
  EXPECT_EQ(run(hostile("close_every_descriptor")).status, ExitStatus(Exited{5}));
  auto [channel, theirs] = FrameChannel::pair().value();
  Command command = hostile("write_to_every_descriptor");
  command.descriptors = {{theirs.get(), 3}};
  EXPECT_EQ(run(command).output, "wrote to 3\n");
  EXPECT_EQ(channel.receive(in(1s)).error().code(), ErrorCode::resource_exhausted);
}

TEST(Jail, cannot_kill_its_parent) {
  ASSAY_NEEDS(pid_namespace);
  const CapturedRun result = run(hostile("kill_parent"));
  EXPECT_EQ(result.output, "parent 1\nalive\n");
  EXPECT_EQ(result.status, ExitStatus(Exited{0}));
}

TEST(Jail, cannot_open_sockets) {
  ASSAY_NEEDS(seccomp);
  Command command = hostile("open_sockets");
  constexpr std::string_view kNone =
      "inet: EPERM\ninet6: EPERM\nunix: EPERM\nnetlink: EPERM\npair: EPERM\n";
  EXPECT_EQ(run(command).output, kNone);
  command.jail->syscalls = SyscallPolicy::compiler;
  EXPECT_EQ(run(command).output, kNone);
  command.jail->syscalls = SyscallPolicy::gpu_compiler;
  EXPECT_EQ(run(command).output, kNone);
  command.jail->syscalls = SyscallPolicy::python;
  EXPECT_EQ(run(command).output,
            "inet: EPERM\ninet6: EPERM\nunix: EPERM\nnetlink: EPERM\npair: allowed\n");
}

TEST(Jail, reaches_no_listener_of_the_host_even_without_the_filter) {
  ASSAY_NEEDS(network_namespace);
  const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!listener) FAIL() << "no socket";
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listener.get(), generic, size), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  ASSERT_EQ(::getsockname(listener.get(), generic, &size), 0);
  const std::string port = std::to_string(ntohs(address.sin_port));
  EXPECT_EQ(run(hostile("connect_to", port)).output, "socket: EPERM\n");
  JailSupport poorer = testkit::support_without({JailPart::seccomp});
  if (poorer.landlock >= 4) {
    EXPECT_EQ(run(hostile("connect_to", port), poorer).output,
              "socket: allowed\nconnect: EACCES\n");
  }
  poorer.landlock = 0;
  EXPECT_EQ(run(hostile("connect_to", port), poorer).output,
            "socket: allowed\nconnect: ENETUNREACH\n");
}

TEST(Jail, of_a_profiler_has_a_loopback_of_its_own_and_reaches_no_other) {
  ASSAY_NEEDS(seccomp);
  ASSAY_NEEDS(network_namespace);
  Command command = hostile("open_sockets");
  command.jail->syscalls = SyscallPolicy::gpu_profiler;
  EXPECT_EQ(run(command).output,
            "inet: allowed\ninet6: allowed\nunix: allowed\nnetlink: allowed\npair: allowed\n");
  command = hostile("connect_to", "9");
  command.jail->syscalls = SyscallPolicy::gpu_profiler;
  EXPECT_EQ(run(command).output, "socket: allowed\nconnect: ECONNREFUSED\n");
  command = hostile("escalate");
  command.jail->syscalls = SyscallPolicy::gpu_profiler;
  EXPECT_EQ(run(command).output,
            "ptrace: EPERM\nmount: EPERM\numount: EPERM\nsetuid: EINVAL\nsetgid: EINVAL\n"
            "chroot: EPERM\nunshare: EPERM\nclone: EPERM\nclone3: ENOSYS\nbpf: EPERM\n"
            "keyctl: EPERM\nio_uring: EPERM\nuserfaultfd: EPERM\nperf: EPERM\n"
            "unknown: ENOSYS\nx32: ENOSYS\n");
}

TEST(Jail, of_a_profiler_keeps_the_one_capability_it_was_given) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root has one to give";
  Command command = hostile("describe_self");
  command.jail->kept = KeptCapability::perfmon;
  const std::string self = run(command).output;
  EXPECT_THAT(self, HasSubstr("uid 65534 gid 65534"));
  EXPECT_THAT(self, HasSubstr("CapEff:\t0000004000000000\n"));
  EXPECT_THAT(self, HasSubstr("CapPrm:\t0000004000000000\n"));
  EXPECT_THAT(self, HasSubstr("CapBnd:\t0000004000000000\n"));
  EXPECT_THAT(self, HasSubstr("NoNewPrivs:\t1\n"));
}

TEST(Jail, refuses_every_way_to_more_rights) {
  ASSAY_NEEDS(seccomp);
  const std::string answers = run(hostile("escalate")).output;
  EXPECT_EQ(answers,
            "ptrace: EPERM\nmount: EPERM\numount: EPERM\nsetuid: EPERM\nsetgid: EPERM\n"
            "chroot: EPERM\nunshare: EPERM\nclone: EPERM\nclone3: ENOSYS\nbpf: EPERM\n"
            "keyctl: EPERM\nio_uring: EPERM\nuserfaultfd: EPERM\nperf: EPERM\n"
            "unknown: ENOSYS\nx32: ENOSYS\n");
}

TEST(Jail, of_a_zygote_may_make_namespaces_and_nothing_else_more) {
  ASSAY_NEEDS(seccomp);
  ASSAY_NEEDS(user_namespace);
  Command command = hostile("escalate");
  command.jail->syscalls = SyscallPolicy::zygote;
  EXPECT_EQ(run(command).output,
            "ptrace: EPERM\nmount: EPERM\numount: EPERM\nsetuid: EPERM\nsetgid: EPERM\n"
            "chroot: EPERM\nunshare: allowed\nclone: EPERM\nclone3: ENOSYS\nbpf: EPERM\n"
            "keyctl: EPERM\nio_uring: EPERM\nuserfaultfd: EPERM\nperf: EPERM\n"
            "unknown: ENOSYS\nx32: ENOSYS\n");
  command = hostile("open_sockets");
  command.jail->syscalls = SyscallPolicy::zygote;
  EXPECT_THAT(run(command).output, HasSubstr("inet: EPERM\ninet6: EPERM\nunix: EPERM\n"));
}

TEST(Jail, runs_as_nobody_without_capabilities) {
  ASSAY_NEEDS(user_namespace);
  const std::string self = run(hostile("describe_self")).output;
  EXPECT_THAT(self, HasSubstr("uid 65534 gid 65534 pid 2\n"));
  EXPECT_THAT(self, HasSubstr("CapEff:\t0000000000000000\n"));
  EXPECT_THAT(self, HasSubstr("CapPrm:\t0000000000000000\n"));
  EXPECT_THAT(self, HasSubstr("CapBnd:\t0000000000000000\n"));
  EXPECT_THAT(self, HasSubstr("NoNewPrivs:\t1\n"));
  EXPECT_THAT(self, HasSubstr("Seccomp:\t2\n"));
  EXPECT_THAT(self, HasSubstr("SigBlk:\t0000000000000000\n"));
  EXPECT_THAT(self, HasSubstr("SigIgn:\t0000000000000000\n"));
}

TEST(Jail, has_the_environment_it_is_given_and_no_other) {
  ASSERT_EQ(::setenv("ASSAY_TEST_SECRET", "x", 1), 0);  // NOLINT(concurrency-mt-unsafe)
  Command command = hostile("print_environment");
  command.environment.emplace_back("B=two words");
  std::string expected;
  for (const std::string& entry : command.environment) expected += entry + "\n";
  EXPECT_EQ(run(command).output, expected);
}

TEST(Jail, dies_when_the_process_that_made_it_is_killed) {
  LifeLine line;
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const UniqueFd said(ends[0]);
  UniqueFd output(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, output.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, line.end(), kLifeLineNumber);
  std::string command(testkit::kSpawnerCommand);
  std::string name = "spawner";
  std::array<char*, 3> argv{name.data(), command.data(), nullptr};
  pid_t spawner = -1;
  ASSERT_EQ(::posix_spawn(&spawner, "/proc/self/exe", &actions, nullptr, argv.data(), ::environ),
            0);
  ::posix_spawn_file_actions_destroy(&actions);
  output.reset();
  std::array<char, 64> text{};
  ASSERT_EQ(::read(said.get(), text.data(), text.size()), 6) << text.data();
  ASSERT_EQ(std::string_view(text.data()), "ready\n");
  EXPECT_FALSE(line.cut(0ms));
  ::kill(spawner, SIGKILL);
  ::waitpid(spawner, nullptr, 0);
  EXPECT_TRUE(line.cut(5s));
}

TEST(Jail, without_a_pid_namespace_still_leaves_nothing_behind) {
  const JailSupport poorer = testkit::support_without({JailPart::pid_namespace});
  LifeLine line;
  Command command = hostile("leave_a_daemon");
  command.descriptors.emplace_back(line.end(), kLifeLineNumber);
  EXPECT_EQ(run(command, poorer).status, ExitStatus(Exited{0}));
  EXPECT_TRUE(line.cut(0ms));
}

TEST(Jail, without_a_pid_namespace_a_killed_supervisor_is_the_end_too) {
  ASSAY_NEEDS(cgroup_pids);
  JailSupport poorer = testkit::support_without({JailPart::pid_namespace});
  poorer.landlock = 0;  // which would shield the supervisor
  LifeLine line;
  Command command = hostile("kill_supervisor");
  command.descriptors.emplace_back(line.end(), kLifeLineNumber);
  EXPECT_EQ(run(command, poorer).status, ExitStatus(Signalled{SIGKILL}));
  EXPECT_TRUE(line.cut(1s));
}

TEST(Jail, without_a_pid_namespace_cannot_signal_its_supervisor_where_landlock_forbids_it) {
  constexpr int kScopesSignals = 6;
  if (full_support().landlock < kScopesSignals) GTEST_SKIP() << "needs Landlock 6";
  const CapturedRun result =
      run(hostile("kill_parent_alone"), testkit::support_without({JailPart::pid_namespace}));
  EXPECT_EQ(result.output, "stop: EPERM\nkill: EPERM\n");
  EXPECT_EQ(result.status, ExitStatus(Exited{0}));
}

TEST(Jail, without_a_mount_namespace_writes_only_where_it_may_where_there_is_landlock) {
  if (full_support().landlock == 0) GTEST_SKIP() << "needs Landlock";
  const JailSupport poorer =
      testkit::support_without({JailPart::mount_namespace, JailPart::private_proc});
  const auto outside = TempDir::create("/var/tmp", "outside-").value();
  std::filesystem::permissions(outside.path(), std::filesystem::perms::all);
  const std::string file = (outside.path() / "f").string();
  ASSERT_TRUE(write_file_atomically(file, "x"));
  std::filesystem::permissions(file, std::filesystem::perms::all);
  // The checkout may lie where the jail's user cannot go, such as in the home of root.
  const std::filesystem::path program = outside.path() / "program";
  std::filesystem::copy_file("/proc/self/exe", program);
  const auto write_to = [&program](const std::string& path) {
    Command command = hostile("write_file", path);
    command.argv.front() = program.string();
    command.jail->binds = {{.host = program, .inside = program}};
    return command;
  };
  EXPECT_EQ(run(write_to(file), poorer).output, "open: EACCES\n");
  EXPECT_EQ(run(write_to(file + "2"), poorer).output, "open: EACCES\n");

  Command command = write_to(file);
  command.jail->binds.push_back({.host = outside.path(), .inside = outside.path()});
  EXPECT_EQ(run(command, poorer).output, "open: EACCES\n");
  command.jail->binds.back().writable = true;
  EXPECT_EQ(run(command, poorer).output, "open: allowed\nwrite: allowed\n");
}

TEST(Jail, has_a_user_that_no_other_jail_has) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root has users to give";
  ASSAY_NEEDS(user_namespace);
  const auto user_of = [](const Subprocess& jail) {
    const auto status = read_file("/proc/" + std::to_string(jail.pid()) + "/status").value();
    return status.substr(status.find("Uid:"), status.find("Gid:") - status.find("Uid:"));
  };
  const auto first = Subprocess::spawn(hostile("hang"), full_support()).value();
  const auto second = Subprocess::spawn(hostile("hang"), full_support()).value();
  EXPECT_NE(user_of(first), user_of(second));
  EXPECT_EQ(user_of(first).find("65534"), std::string::npos) << user_of(first);
  Command writes = hostile("hang");
  const auto work = TempDir::create(std::filesystem::temp_directory_path(), "work-").value();
  writes.jail->binds.push_back({.host = work.path(), .inside = "/output", .writable = true});
  EXPECT_THAT(user_of(Subprocess::spawn(writes, full_support()).value()), HasSubstr("65534"));
}

TEST(Jail, without_control_groups_falls_back_to_resource_limits) {
  if (testkit::kSanitized) GTEST_SKIP() << "needs a program that does not reserve terabytes";
  const JailSupport poorer =
      testkit::support_without({JailPart::cgroup_memory, JailPart::cgroup_pids});
  Command command = hostile("eat_memory", "400");
  command.jail->limits.memory_bytes = 200 * kMebibyte;
  EXPECT_THAT(run(command, poorer).output, HasSubstr("ENOMEM after 1"));
  command = hostile("fork_bomb");
  command.jail->limits.processes = 20;
  EXPECT_THAT(run(command, poorer).output, HasSubstr("EAGAIN after 1"));
}

TEST(Jail, without_any_part_still_runs_under_resource_limits) {
  if (testkit::kSanitized) GTEST_SKIP() << "needs a program that does not reserve terabytes";
  using enum JailPart;
  const JailSupport nothing = testkit::support_without(
      {user_namespace, mount_namespace, pid_namespace, network_namespace, ipc_namespace,
       uts_namespace, private_proc, seccomp, cgroup_memory, cgroup_pids});
  EXPECT_EQ(run(hostile("exit", "4"), nothing).status, ExitStatus(Exited{4}));
  Command command = hostile("fill_disk", "/tmp");
  command.jail->limits.file_bytes = kMebibyte;
  EXPECT_EQ(run(command, nothing).status, ExitStatus(Signalled{SIGXFSZ}));
  std::filesystem::remove("/tmp/filler");
}

}  // namespace
}  // namespace assay::process
