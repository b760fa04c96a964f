"""A wall clock that can be moved for one server alone: a library that is loaded into it adds to what the kernel says."""
import os
import struct
import subprocess

SOURCE = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t* moved;

__attribute__((constructor)) static void find(void) {
  const char* path = getenv("CHAOS_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void* page = mmap(0, sizeof *moved, PROT_READ, MAP_SHARED, file, 0);
  if (page != MAP_FAILED) moved = page;
  close(file);
}
int clock_gettime(clockid_t which, struct timespec* now) {
  int result = (int)syscall(SYS_clock_gettime, which, now);
  if (result == 0 && which == CLOCK_REALTIME && moved) now->tv_sec += *moved;
  return result;
}
int gettimeofday(struct timeval* now, void* zone) {
  struct timespec precise;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}
time_t time(time_t* into) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (into) *into = now.tv_sec;
  return now.tv_sec;
}
"""


class WallClock:
    def __init__(self, folder):
        self.file, library = folder / "clock", folder / "clock.so"
        self.file.write_bytes(struct.pack("q", 0))
        (folder / "clock.c").write_text(SOURCE)
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, folder / "clock.c"], check=True)
        self.environment = {**os.environ, "LD_PRELOAD": str(library), "CHAOS_CLOCK": str(self.file)}

    def move(self, seconds):
        """To so much before or behind the true time."""
        with open(self.file, "r+b") as file:
            file.write(struct.pack("q", int(seconds)))
