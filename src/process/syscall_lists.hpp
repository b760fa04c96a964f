#pragma once

#include <array>

#include <seccomp.h>

namespace assay::process {

// What jailed programs on the processor may call, made from recorded runs
// (tools/record_syscalls.py, src/process/recorded). Beside what was recorded stand the calls that
// other versions of the C library make for the same purpose. Everything else is refused
// (docs/adr/0023-what-jailed-programs-may-do.md).

inline constexpr std::array kOfEveryProgram{
    // Files. Which of them there are is for the jail's root to say.
    SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv), SCMP_SYS(writev), SCMP_SYS(pread64),
    SCMP_SYS(pwrite64), SCMP_SYS(preadv), SCMP_SYS(pwritev), SCMP_SYS(preadv2), SCMP_SYS(pwritev2),
    SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(openat2), SCMP_SYS(creat), SCMP_SYS(close),
    SCMP_SYS(close_range), SCMP_SYS(stat), SCMP_SYS(fstat), SCMP_SYS(lstat), SCMP_SYS(newfstatat),
    SCMP_SYS(statx), SCMP_SYS(statfs), SCMP_SYS(fstatfs), SCMP_SYS(access), SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2), SCMP_SYS(lseek), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
    SCMP_SYS(getdents), SCMP_SYS(getdents64), SCMP_SYS(getcwd), SCMP_SYS(chdir), SCMP_SYS(fchdir),
    SCMP_SYS(mkdir), SCMP_SYS(mkdirat), SCMP_SYS(rmdir), SCMP_SYS(unlink), SCMP_SYS(unlinkat),
    SCMP_SYS(rename), SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(link), SCMP_SYS(linkat),
    SCMP_SYS(symlink), SCMP_SYS(symlinkat), SCMP_SYS(chmod), SCMP_SYS(fchmod), SCMP_SYS(fchmodat),
    SCMP_SYS(umask), SCMP_SYS(truncate), SCMP_SYS(ftruncate), SCMP_SYS(fallocate), SCMP_SYS(fsync),
    SCMP_SYS(fdatasync), SCMP_SYS(utime), SCMP_SYS(utimes), SCMP_SYS(utimensat),
    SCMP_SYS(futimesat), SCMP_SYS(dup), SCMP_SYS(dup2), SCMP_SYS(dup3), SCMP_SYS(fcntl),
    SCMP_SYS(flock), SCMP_SYS(fadvise64), SCMP_SYS(sendfile), SCMP_SYS(copy_file_range),
    // Waiting.
    SCMP_SYS(pipe), SCMP_SYS(pipe2), SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(select),
    SCMP_SYS(pselect6), SCMP_SYS(nanosleep), SCMP_SYS(clock_nanosleep), SCMP_SYS(pause),
    // Memory.
    SCMP_SYS(brk), SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mprotect), SCMP_SYS(mremap),
    SCMP_SYS(madvise), SCMP_SYS(msync), SCMP_SYS(mincore), SCMP_SYS(membarrier),
    // Signals.
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigpending), SCMP_SYS(rt_sigsuspend), SCMP_SYS(rt_sigtimedwait),
    SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo), SCMP_SYS(sigaltstack), SCMP_SYS(kill),
    SCMP_SYS(tkill), SCMP_SYS(tgkill), SCMP_SYS(restart_syscall), SCMP_SYS(alarm),
    SCMP_SYS(setitimer), SCMP_SYS(getitimer),
    // Processes and threads, of which the control group bounds the number.
    SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(exit),
    SCMP_SYS(exit_group), SCMP_SYS(wait4), SCMP_SYS(waitid), SCMP_SYS(futex), SCMP_SYS(futex_waitv),
    SCMP_SYS(set_tid_address), SCMP_SYS(set_robust_list), SCMP_SYS(get_robust_list), SCMP_SYS(rseq),
    SCMP_SYS(arch_prctl), SCMP_SYS(prctl), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
    SCMP_SYS(sched_setaffinity), SCMP_SYS(sched_getparam), SCMP_SYS(sched_getscheduler),
    SCMP_SYS(sched_get_priority_max), SCMP_SYS(sched_get_priority_min), SCMP_SYS(getpriority),
    SCMP_SYS(setpriority), SCMP_SYS(setsid), SCMP_SYS(getsid), SCMP_SYS(setpgid), SCMP_SYS(getpgid),
    SCMP_SYS(getpgrp), SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(gettid),
    // What it is and what it has.
    SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(getresuid),
    SCMP_SYS(getresgid), SCMP_SYS(getgroups), SCMP_SYS(capget), SCMP_SYS(getrlimit),
    SCMP_SYS(setrlimit), SCMP_SYS(prlimit64), SCMP_SYS(getrusage), SCMP_SYS(sysinfo),
    SCMP_SYS(uname), SCMP_SYS(getrandom), SCMP_SYS(getcpu), SCMP_SYS(times), SCMP_SYS(time),
    SCMP_SYS(gettimeofday), SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres)};

/// Over the sockets they were given. They can make none.
inline constexpr std::array kOfRunners{
    SCMP_SYS(sendmsg),    SCMP_SYS(recvmsg),     SCMP_SYS(sendto),
    SCMP_SYS(recvfrom),   SCMP_SYS(shutdown),    SCMP_SYS(getsockopt),
    SCMP_SYS(setsockopt), SCMP_SYS(getsockname), SCMP_SYS(getpeername)};

/// What the interpreter's own library and torch use beside.
inline constexpr std::array kOfPython{SCMP_SYS(memfd_create),
                                      SCMP_SYS(eventfd),
                                      SCMP_SYS(eventfd2),
                                      SCMP_SYS(epoll_create),
                                      SCMP_SYS(epoll_create1),
                                      SCMP_SYS(epoll_ctl),
                                      SCMP_SYS(epoll_wait),
                                      SCMP_SYS(epoll_pwait),
                                      SCMP_SYS(epoll_pwait2),
                                      SCMP_SYS(timerfd_create),
                                      SCMP_SYS(timerfd_settime),
                                      SCMP_SYS(timerfd_gettime),
                                      SCMP_SYS(timer_create),
                                      SCMP_SYS(timer_settime),
                                      SCMP_SYS(timer_gettime),
                                      SCMP_SYS(timer_delete),
                                      SCMP_SYS(signalfd4),
                                      SCMP_SYS(pidfd_open),
                                      SCMP_SYS(pidfd_send_signal),
                                      SCMP_SYS(getxattr),
                                      SCMP_SYS(lgetxattr),
                                      SCMP_SYS(fgetxattr),
                                      SCMP_SYS(listxattr),
                                      SCMP_SYS(llistxattr),
                                      SCMP_SYS(flistxattr),
                                      SCMP_SYS(get_mempolicy),
                                      SCMP_SYS(set_mempolicy),
                                      SCMP_SYS(mbind),
                                      SCMP_SYS(mlock),
                                      SCMP_SYS(mlock2),
                                      SCMP_SYS(munlock)};

/// To shut in its children, who then give it up: they load the filter of Python themselves.
inline constexpr std::array kOfZygotes{SCMP_SYS(unshare),
                                       SCMP_SYS(mount),
                                       SCMP_SYS(setresuid),
                                       SCMP_SYS(setresgid),
                                       SCMP_SYS(capset),
                                       SCMP_SYS(seccomp),
                                       SCMP_SYS(landlock_create_ruleset),
                                       SCMP_SYS(landlock_add_rule),
                                       SCMP_SYS(landlock_restrict_self)};

}  // namespace assay::process
