"""How a child is shut in: namespaces of its own, limits, no capabilities, the worker's filter.

The zygote lives in a jail already; this is a second, inner wall that separates one kernel from the
zygote and from other kernels.
"""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass
from typing import Any, Mapping

from assay_runner import syscalls

# Parts of the confinement, in the order in which they are tried.
NAMESPACES = {
    "user_namespace": syscalls.CLONE_NEWUSER,
    "mount_namespace": syscalls.CLONE_NEWNS,
    "pid_namespace": syscalls.CLONE_NEWPID,
    "network_namespace": syscalls.CLONE_NEWNET,
    "ipc_namespace": syscalls.CLONE_NEWIPC,
    "uts_namespace": syscalls.CLONE_NEWUTS,
}
PARTS = frozenset(NAMESPACES) | {"private_proc"}
_BYTES_PER_INODE = 4096


@dataclass(frozen=True)
class Limits:
    memory_bytes: int
    processes: int
    tmp_bytes: int
    file_bytes: int
    open_files: int
    cpu_seconds: int

    @staticmethod
    def of(message: Mapping[str, Any]) -> Limits:
        return Limits(**{name: int(message[name]) for name in Limits.__dataclass_fields__})


def enter_namespaces(parts: frozenset[str]) -> None:
    """The pid namespace is that of the next child. In the user namespace nobody has a name yet."""
    flags = 0
    for name, flag in NAMESPACES.items():
        if name in parts:
            flags |= flag
    if flags == 0:
        return
    syscalls.set_dumpable(True)  # or our own maps would belong to root
    syscalls.unshare(flags)


def take_user(parts: frozenset[str], user: int, group: int, *, is_mapped: bool) -> None:
    """Under the numbers that we had before: on the host the user that the worker has mapped them
    to, or the one whom we had."""
    if "user_namespace" not in parts:
        return
    if is_mapped:
        os.setresgid(group, group, group)
        os.setresuid(user, user, user)
        return
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def mount_private(parts: frozenset[str], tmp_bytes: int) -> None:
    """A /tmp and a /proc of its own, for the first process of the namespaces."""
    if "mount_namespace" not in parts:
        return
    syscalls.mount("none", "/", "none", syscalls.MS_REC | syscalls.MS_PRIVATE)
    inodes = 1024 + tmp_bytes // _BYTES_PER_INODE
    syscalls.mount(
        "tmpfs",
        "/tmp",
        "tmpfs",
        syscalls.MS_NOSUID | syscalls.MS_NODEV,
        f"size={tmp_bytes},nr_inodes={inodes},mode=1777",
    )
    if "private_proc" in parts:
        flags = syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC
        syscalls.mount("proc", "/proc", "proc", flags)


# Landlock's rights over files, as src/process/landlock.cpp has them.
_WRITE_FILE = 1 << 1
_REMOVE_AND_MAKE = 0x1FF0
_REFER = 1 << 13  # version 2
_TRUNCATE = 1 << 14  # version 3
_TCP = 3  # version 4
_OUTSIDE = 3  # abstract sockets and signals, version 6


def restrict_files() -> None:
    """Writing in /tmp alone, whatever the mounts say; no TCP, no signals to those outside. Nothing
    where the kernel has no Landlock."""
    version = syscalls.landlock_version()
    if version == 0:
        return
    everything = _WRITE_FILE | _REMOVE_AND_MAKE
    if version >= 2:
        everything |= _REFER
    if version >= 3:
        everything |= _TRUNCATE
    ruleset = syscalls.make_ruleset(
        everything, _TCP if version >= 4 else 0, _OUTSIDE if version >= 6 else 0, version
    )
    try:
        in_place = (_WRITE_FILE | _TRUNCATE) & everything
        syscalls.allow_beneath(ruleset, "/tmp", everything)
        syscalls.allow_beneath(ruleset, "/dev", in_place)
        syscalls.allow_beneath(ruleset, "/proc", in_place)
        syscalls.restrict_self(ruleset)
    finally:
        os.close(ruleset)


def private_memory() -> int:
    """Bytes that RLIMIT_DATA counts now: what the zygote's imports hold."""
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmData:"):
                return int(line.split()[1]) * 1024
    return 0


def set_limits(limits: Limits, *, limit_memory: bool) -> None:
    cpu = limits.cpu_seconds
    wanted = {
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_FSIZE: (limits.file_bytes,) * 2,
        resource.RLIMIT_NOFILE: (limits.open_files,) * 2,
        resource.RLIMIT_CPU: (cpu, cpu + 1),  # SIGXCPU, and SIGKILL if that is ignored
        resource.RLIMIT_NPROC: (limits.processes,) * 2,
    }
    if limit_memory:
        # An allocation beyond it fails, and Python can say so, where a control group would kill.
        # CUDA reserves memory that it never uses, so not there.
        wanted[resource.RLIMIT_DATA] = (private_memory() + limits.memory_bytes,) * 2
    for kind, (soft, hard) in wanted.items():
        _, ceiling = resource.getrlimit(kind)
        if ceiling != resource.RLIM_INFINITY:
            soft, hard = min(soft, ceiling), min(hard, ceiling)
        resource.setrlimit(kind, (soft, hard))


def probe() -> frozenset[str]:
    """The parts that this kernel, and the jail we are in, let us build."""
    if _buildable(PARTS):
        return PARTS
    parts: frozenset[str] = frozenset()
    for name in (*NAMESPACES, "private_proc"):
        if _buildable(parts | {name}):
            parts |= {name}
    return parts


def _buildable(parts: frozenset[str]) -> bool:
    outer = os.fork()
    if outer == 0:
        try:
            user, group = os.getuid(), os.getgid()
            enter_namespaces(parts)
            take_user(parts, user, group, is_mapped=False)
            inner = os.fork()
            if inner == 0:
                mount_private(parts, tmp_bytes=1 << 20)
                os._exit(0)
            os._exit(os.waitstatus_to_exitcode(os.waitpid(inner, 0)[1]))
        except BaseException:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(outer, 0)[1]) == 0
