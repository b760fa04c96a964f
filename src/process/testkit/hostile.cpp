#include "process/testkit/hostile.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace assay::process::testkit {
namespace {

using Argument = const char*;

constexpr std::size_t kMebibyte = std::size_t{1} << 20U;

void say(const char* what, long result) {
  std::printf("%s: %s\n", what, result >= 0 ? "allowed" : ::strerrorname_np(errno));
}

[[noreturn]] void sleep_for_ever() {
  while (true) ::pause();
}

void segfault(Argument) {
  ::raise(SIGSEGV);
}

void abort_at_once(Argument) {
  std::abort();
}

void loop(Argument) {
  volatile bool forever = true;
  while (forever) {
  }
}

void exit_with(Argument code) {
  ::_exit(std::atoi(code));
}

void fork_bomb(Argument) {
  int children = 0;
  while (true) {
    const pid_t child = ::fork();
    if (child == 0) sleep_for_ever();
    if (child < 0) break;
    ++children;
  }
  std::printf("%s after %d\n", ::strerrorname_np(errno), children);
}

void eat_memory(Argument mebibytes) {
  for (int i = 0; i < std::atoi(mebibytes); ++i) {
    void* page =
        ::mmap(nullptr, kMebibyte, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
      std::printf("%s after %d MiB\n", ::strerrorname_np(errno), i);
      return;
    }
    std::memset(page, 1, kMebibyte);
  }
}

void eat_memory_in_a_child(Argument mebibytes) {
  const pid_t child = ::fork();
  if (child == 0) {
    eat_memory(mebibytes);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::_exit(status == 0 ? 0 : 1);
}

void fill_disk(Argument directory) {
  const std::string path = std::string(directory) + "/filler";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  if (file < 0) return say("open", file);
  const std::string chunk(kMebibyte, 'x');
  std::size_t written = 0;
  while (true) {
    const ssize_t count = ::write(file, chunk.data(), chunk.size());
    if (count < 0) break;
    written += static_cast<std::size_t>(count);
  }
  std::printf("%s after %zu MiB\n", ::strerrorname_np(errno), written / kMebibyte);
}

void print(Argument mebibytes) {
  const std::string chunk(kMebibyte, 'y');
  for (int i = 0; i < std::atoi(mebibytes); ++i) {
    if (::write(i % 2 == 0 ? STDOUT_FILENO : STDERR_FILENO, chunk.data(), chunk.size()) < 0) return;
  }
}

void close_every_descriptor(Argument) {
  ::syscall(SYS_close_range, 0U, ~0U, 0);
  ::_exit(5);
}

void write_to_every_descriptor(Argument) {
  for (int fd = 3; fd < 1024; ++fd) {
    if (::write(fd, "\xff\xff\xff\xff", 4) >= 0) std::printf("wrote to %d\n", fd);
  }
}

void list_descriptors(Argument) {
  for (int fd = 0; fd < 1024; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) std::printf("%d ", fd);
  }
}

void kill_parent(Argument) {
  std::printf("parent %d\n", ::getppid());
  ::kill(::getppid(), SIGSTOP);
  ::kill(::getppid(), SIGKILL);
  ::kill(-1, SIGKILL);
  std::printf("alive\n");
}

void kill_parent_alone(Argument) {
  say("stop", ::kill(::getppid(), SIGSTOP));
  say("kill", ::kill(::getppid(), SIGKILL));
}

void kill_supervisor(Argument) {
  ::kill(::getppid(), SIGKILL);
  sleep_for_ever();
}

void read_file(Argument path) {
  say("open", ::open(path, O_RDONLY));
}

void list_directory(Argument path) {
  DIR* directory = ::opendir(path);
  if (directory == nullptr) return say("opendir", -1);
  while (const dirent* entry = ::readdir(directory)) std::printf("%s ", entry->d_name);
  ::closedir(directory);
}

void open_sockets(Argument) {
  std::array<int, 2> ends{};
  say("inet", ::socket(AF_INET, SOCK_STREAM, 0));
  say("inet6", ::socket(AF_INET6, SOCK_DGRAM, 0));
  say("unix", ::socket(AF_UNIX, SOCK_STREAM, 0));
  say("netlink", ::socket(AF_NETLINK, SOCK_RAW, 0));
  say("pair", ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()));
}

/// With an inherited socket, which the filter lets it use: only the network namespace is left.
void connect_to(Argument port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  say("socket", fd);
  if (fd >= 0)
    say("connect", ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)));
}

void escalate(Argument) {
  say("ptrace", ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr));
  say("mount", ::mount("tmpfs", "/tmp", "tmpfs", 0, nullptr));
  say("umount", ::umount2("/usr", MNT_DETACH));
  say("setuid", ::setuid(0));
  say("setgid", ::setgid(0));
  say("chroot", ::chroot("/tmp"));
  say("unshare", ::unshare(CLONE_NEWUSER));
  say("clone", ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  say("clone3", ::syscall(SYS_clone3, nullptr, 0));
  say("bpf", ::syscall(SYS_bpf, 0, nullptr, 0));
  say("keyctl", ::syscall(SYS_keyctl, 0, 0, 0, 0, 0));
  say("io_uring", ::syscall(SYS_io_uring_setup, 1, nullptr));
  say("userfaultfd", ::syscall(SYS_userfaultfd, 0));
  say("perf", ::syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0));
  say("unknown", ::syscall(600));
  say("x32", ::syscall(0x40000000 + SYS_getpid));
}

void describe_self(Argument) {
  std::printf("uid %u gid %u pid %d\n", ::getuid(), ::getgid(), ::getpid());
  std::array<char, 256> line{};
  FILE* status = std::fopen("/proc/self/status", "re");
  if (status == nullptr) return say("status", -1);
  while (std::fgets(line.data(), line.size(), status) != nullptr) {
    const std::string_view text(line.data());
    for (const auto* key :
         {"CapEff", "CapBnd", "CapPrm", "NoNewPrivs", "Seccomp:", "SigBlk", "SigIgn"}) {
      if (text.starts_with(key)) std::fputs(line.data(), stdout);
    }
  }
  std::fclose(status);
}

void print_environment(Argument) {
  for (char** entry = ::environ; *entry != nullptr; ++entry) std::puts(*entry);
}

void print_directory(Argument) {
  std::array<char, 4096> path{};
  std::puts(::getcwd(path.data(), path.size()));
}

void write_file(Argument path) {
  const int file = ::open(path, O_WRONLY | O_CREAT, 0644);
  say("open", file);
  if (file >= 0) say("write", ::write(file, "mark", 4));
}

/// Leaves a grandchild in a session of its own, deaf to polite signals.
void leave_a_daemon(Argument) {
  if (::fork() == 0) {
    ::setsid();
    if (::fork() == 0) {
      ::signal(SIGTERM, SIG_IGN);
      ::signal(SIGHUP, SIG_IGN);
      sleep_for_ever();
    }
    ::_exit(0);
  }
  ::wait(nullptr);
}

void leave_a_daemon_and_loop(Argument argument) {
  leave_a_daemon(argument);
  std::puts("ready");
  std::fflush(stdout);
  loop(argument);
}

/// A process that is never the same for long: each starts the next and ends.
void run_a_relay(Argument) {
  if (::fork() == 0) {
    while (true) {
      if (::fork() > 0) ::_exit(0);
    }
  }
  std::puts("ready");
  std::fflush(stdout);
  sleep_for_ever();
}

void hang(Argument) {
  sleep_for_ever();
}

struct Behaviour {
  std::string_view name;
  void (*act)(Argument);
};

constexpr std::array kBehaviours{
    Behaviour{"segfault", segfault},
    Behaviour{"abort", abort_at_once},
    Behaviour{"loop", loop},
    Behaviour{"hang", hang},
    Behaviour{"run_a_relay", run_a_relay},
    Behaviour{"exit", exit_with},
    Behaviour{"fork_bomb", fork_bomb},
    Behaviour{"eat_memory", eat_memory},
    Behaviour{"eat_memory_in_a_child", eat_memory_in_a_child},
    Behaviour{"fill_disk", fill_disk},
    Behaviour{"print", print},
    Behaviour{"close_every_descriptor", close_every_descriptor},
    Behaviour{"write_to_every_descriptor", write_to_every_descriptor},
    Behaviour{"list_descriptors", list_descriptors},
    Behaviour{"kill_parent", kill_parent},
    Behaviour{"kill_parent_alone", kill_parent_alone},
    Behaviour{"kill_supervisor", kill_supervisor},
    Behaviour{"read_file", read_file},
    Behaviour{"list_directory", list_directory},
    Behaviour{"open_sockets", open_sockets},
    Behaviour{"connect_to", connect_to},
    Behaviour{"escalate", escalate},
    Behaviour{"describe_self", describe_self},
    Behaviour{"print_environment", print_environment},
    Behaviour{"print_directory", print_directory},
    Behaviour{"write_file", write_file},
    Behaviour{"leave_a_daemon", leave_a_daemon},
    Behaviour{"leave_a_daemon_and_loop", leave_a_daemon_and_loop},
};

}  // namespace

int hostile_main(int argc, char** argv) {
  const std::string_view name = argc > 2 ? argv[2] : "";
  const auto* found = std::ranges::find(kBehaviours, name, &Behaviour::name);
  if (found == kBehaviours.end()) return 99;
  found->act(argc > 3 ? argv[3] : "");
  std::fflush(stdout);
  return 0;
}

}  // namespace assay::process::testkit
