// Attempts to leave the jail of native code. The test puts in SECRET_PATH and SERVER_PORT, and a kernel or a main().
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace {

// Whether the kernel looked at a system call at all; wrong arguments are given on purpose.
template <typename... Arguments>
bool allowed(long number, Arguments... arguments) {
  return syscall(number, arguments...) >= 0 || (errno != EPERM && errno != EACCES && errno != ENOSYS);
}

bool readable(const char* path) {
  char byte;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  const bool got = fd >= 0 && read(fd, &byte, 1) == 1;
  if (fd >= 0) close(fd);
  return got;
}

bool writable(const char* path) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const bool wrote = fd >= 0 && write(fd, "x", 1) == 1;
  if (fd >= 0) close(fd);
  return wrote;
}

bool opens(int family, int type, int protocol = 0) {
  const int fd = socket(family, type | SOCK_CLOEXEC, protocol);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

// Whether a process other than this one shows what `part` of its folder in /proc holds.
bool anybody_shows(const char* part) {
  DIR* processes = opendir("/proc");
  bool shown = false;
  while (const dirent* entry = processes ? readdir(processes) : nullptr) {
    char path[300];
    if (atoi(entry->d_name) <= 0 || atoi(entry->d_name) == getpid()) continue;
    snprintf(path, sizeof path, "/proc/%s/%s", entry->d_name, part);
    shown |= readable(path);
  }
  if (processes) closedir(processes);
  return shown;
}

struct Attempt {
  const char* name;
  bool (*comes_out)();
};

const Attempt kAttempts[] = {
    {"read a file of the host", [] { return readable("SECRET_PATH"); }},
    {"read the passwords", [] { return readable("/etc/shadow"); }},
    {"read through the first process", [] { return readable("/proc/1/rootSECRET_PATH"); }},
    {"read the memory of the machine", [] { return readable("/dev/mem") || readable("/proc/kcore"); }},
    {"read the environment of others", [] { return anybody_shows("environ"); }},
    {"read the memory of others", [] { return anybody_shows("mem") || anybody_shows("auxv"); }},
    {"write to the system", [] { return writable("/usr/escape") || writable("/etc/escape"); }},
    {"write to its own program", [] { return writable("/proc/self/exe"); }},
    {"set where cores go", [] { return writable("/proc/sys/kernel/core_pattern"); }},
    {"press the keys", [] { return writable("/proc/sysrq-trigger"); }},
    {"call the server",
     [] {
       const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
       sockaddr_in to{};
       to.sin_family = AF_INET;
       to.sin_port = htons(SERVER_PORT);
       to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
       const bool reached = fd >= 0 && connect(fd, (sockaddr*)&to, sizeof to) == 0;
       if (fd >= 0) close(fd);
       return reached;
     }},
    {"listen to the network", [] { return opens(AF_PACKET, SOCK_RAW); }},
    {"ask the hypervisor", [] { return opens(AF_VSOCK, SOCK_STREAM); }},
    {"ask the kernel's crypto", [] { return opens(AF_ALG, SOCK_SEQPACKET); }},
    {"talk to the kernel by netlink", [] { return opens(AF_NETLINK, SOCK_RAW); }},
    {"become the administrator", [] { return getuid() != 0 ? setuid(0) == 0 : allowed(SYS_setuid, 0); }},
    {"take every capability",
     [] {
       __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
       __user_cap_data_struct all[2] = {{~0U, ~0U, ~0U}, {~0U, ~0U, ~0U}};
       return syscall(SYS_capset, &header, all) == 0;
     }},
    {"gain by a program", [] { return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1; }},
    {"become root elsewhere", [] { return allowed(SYS_unshare, CLONE_NEWUSER); }},
    {"become root elsewhere by clone",
     [] {
       const long child = syscall(SYS_clone, CLONE_NEWUSER | 17, 0, 0, 0, 0);
       if (child == 0) _exit(0);
       return child > 0;
     }},
    {"become root elsewhere by clone3", [] { char flags[88] = {}; return allowed(SYS_clone3, flags, 1); }},
    {"enter the namespaces of another", [] { return allowed(SYS_setns, open("/proc/1/ns/mnt", O_RDONLY), 0); }},
    {"change the root", [] { return allowed(SYS_pivot_root, "/tmp", "/tmp"); }},
    {"climb out of a new root", [] { return allowed(SYS_chroot, "/tmp"); }},
    {"make the system writable", [] { return allowed(SYS_mount, "none", "/usr", "none", 32 | 4096); }},
    {"mount the control groups", [] { return allowed(SYS_mount, "none", "/tmp", "cgroup2", 0); }},
    {"mount by the new calls", [] { return allowed(430, "tmpfs", 0) || allowed(428, -100, "/", 1); }},
    {"make a disk", [] { return mknod("/tmp/disk", S_IFBLK | 0600, makedev(8, 0)) == 0; }},
    {"find a file by its handle", [] { char handle[128] = {}; return allowed(SYS_open_by_handle_at, -100, handle, 0); }},
    {"load a module", [] { return allowed(SYS_init_module, nullptr, nullptr, ""); }},
    {"load another kernel", [] { return allowed(SYS_kexec_load, 0, 0, 0, 0); }},
    {"run code in the kernel", [] { return allowed(SYS_bpf, 0, 0, 0); }},
    {"stop the kernel at a page", [] { return allowed(SYS_userfaultfd, 0); }},
    {"watch the processor", [] { return allowed(SYS_perf_event_open, 0, 0, -1, -1, 0); }},
    {"ask by rings", [] { char parameters[120] = {}; return allowed(425, 1, parameters); }},
    {"read the keys", [] { return allowed(SYS_keyctl, 0, -3, 0); }},
    {"trace the first process", [] { return allowed(SYS_ptrace, 16, 1, 0, 0); }},
    {"read the memory of the first process", [] { return allowed(SYS_process_vm_readv, 1, 0, 0, 0, 0); }},
    {"take the descriptors of another", [] { return allowed(438, -1, 0, 0); }},
    {"kill the first process", [] { return getpid() != 1 && kill(1, 0) == 0; }},
    {"turn the clock", [] { char time[16] = {}; return allowed(SYS_settimeofday, nullptr, time); }},
    {"type for the administrator", [] { return ioctl(0, TIOCSTI, "x") == 0; }},
    {"use the numbers of x32", [] { return allowed(0x40000000 | 101, 0, 0, 0, 0); }},
    {"write without end", [] { const rlimit none{RLIM_INFINITY, RLIM_INFINITY}; return setrlimit(RLIMIT_FSIZE, &none) == 0; }},
};
constexpr int kCount = sizeof kAttempts / sizeof *kAttempts;

}  // namespace
