"""A stand-in for Nsight Compute: starts the program it is given and writes a small report.

What it cannot be is a judge of numbers: it writes the same ones each time. MODE says how it ends.
"""
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import sys
import time

MODE = "right"  # written over by stand_in.write()


def varint(value):
    out = b""
    while value >= 0x80:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def field(number, value):
    """One field of a protocol buffer message: an integer, a double, text or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def block(header, *messages):
    payload = b"".join(struct.pack("<I", len(message)) + message for message in messages)
    header += field(5, len(payload))
    return struct.pack("<I", len(header)) + header + payload


def launch(name, range_name, metrics, grid=64):
    shape = field(1, grid) + field(2, 1) + field(3, 1)
    message = field(5, name) + field(6, name) + field(7, name) + field(10, shape) + field(11, shape)
    for index, value in enumerate(metrics.values()):
        places = value.items() if isinstance(value, dict) else ()
        content = field(5, len(places)) if places else field(3, float(value))
        at = b"".join(field(3, field(1, field(5, place)) + field(2, field(5, count)))
                      for place, count in places)
        message += field(13, field(1, index) + field(2, content) + at)
    entry = field(1, 7) + field(2, range_name) + field(5, 1)
    return message + field(21, field(1, field(1, 0) + field(2, "<default domain>"))
                           + field(3, field(1, 0) + field(3, entry)))


METRICS = {
    "gpu__time_duration.sum": 50000.0,
    "sm__cycles_elapsed.avg.per_second": 1.5e9,
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": 10.0,
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": 92.0,
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 92.0,
    "lts__t_sector_hit_rate.pct": 4.0,
    "dram__bytes.sum.per_second": 4.0e12,
    "dram__bytes_read.sum": 150e6,
    "dram__bytes_write.sum": 50e6,
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum": 1e6,
    "sm__ops_path_tensor_src_fp64.sum": 0.0,
    "launch__registers_per_thread": 32.0,
    "smsp__average_warp_latency_per_inst_issued.ratio": 20.0,
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio": 15.0,
    "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio": 2.0,
    "dram__bytes.sum.peak_sustained": 3000.0,
    "dram__cycles_elapsed.avg.per_second": 1.6e9,
    "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained": 16896.0,
    "launch__function_pcs": {0: 4096},
    "smsp__pcsamp_sample_count": {4096: 100, 4112: 900},  # by instruction
    "smsp__pcsamp_warps_issue_stalled_long_scoreboard": {4096: 50, 4112: 850},
}


def launches_of(words):
    """What is profiled: the one kernel that is asked for, or of many those that the options choose."""
    expression = value_of(words, "--kernel-name", "regex:^copy_kernel$").removeprefix("regex:")
    if MODE == "asked":
        chosen = [at for at, word in enumerate(words) if word in ("--set", "--section", "--metrics")]
        return [(" ".join(f"{words[at]} {words[at + 1]}" for at in chosen), 64)]
    if MODE != "many":
        return [(expression.removeprefix("^").removesuffix("$"), 64)]
    every = [("copy_kernel", 64), ("copy_kernel", 64), ("copy_kernel", 128), ("reduce_kernel", 64)]
    if "--kernel-name" in words:
        every = [one for one in every if re.search(expression, one[0])]
    if "--filter-mode" in words:
        assert value_of(words, "--filter-mode") == "per-launch-config"
        every = list(dict.fromkeys(every))
    return every


def report(range_name, launches):
    header = field(1, 7)
    start = b"NVR\0" + struct.pack("<I", len(header)) + header
    version = field(1, "Nsight Compute Target") + field(2, "2025.3.1")
    session = block(field(3, field(8, version) + field(11, "ncu")))
    names = b"".join(field(1, name) for name in METRICS)
    process = field(1, 1) + field(2, "host") + field(3, "runner")
    return start + session + block(field(2, len(launches)) + field(4, names) + field(6, process),
                                   *(launch(name, range_name, METRICS, grid) for name, grid in launches))


def value_of(words, option, otherwise=None):
    return words[words.index(option) + 1] if otherwise is None or option in words else otherwise


def main(words):
    # Every option has one value, but for these; the program's own words follow.
    at = 0
    while at < len(words) and words[at].startswith("--"):
        at += 1 if words[at] in ("--nvtx", "--force-overwrite") else 2
    log = pathlib.Path(value_of(words[:at], "--log-file", "/dev/null"))
    if MODE == "hang":
        log.write_text("==PROF== Connecting\n")
        time.sleep(600)
    child = subprocess.Popen(words[at:], close_fds=False)
    if MODE == "killed":
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGKILL)
    code = child.wait()
    if MODE == "forbidden":
        log.write_text("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access "
                       "NVIDIA GPU Performance Counters on the target device 0.\n")
        return 1
    if MODE == "varying":
        METRICS["gpu__time_duration.sum"] = random.uniform(40000, 60000)
    launches = launches_of(words[:at])
    if MODE == "no_kernel" or not launches:
        log.write_text("==WARNING== No kernels were profiled.\n")
        return 0
    data = report(value_of(words[:at], "--nvtx-include", "step"), launches)
    pathlib.Path(value_of(words, "--export")).write_bytes(data[:100] if MODE == "cut" else data)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
