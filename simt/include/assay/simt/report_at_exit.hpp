#pragma once

#include <cstdio>

#include <unistd.h>

#include "assay/simt_abi.h"

namespace assay::simt {

/// Checks the launches of a program, and says at its end what was found. A program with findings
/// exits with 66.
class ReportAtExit {
 public:
  explicit ReportAtExit(unsigned sanitize) {
    assay_simt_launch_options options{};
    options.sanitize = sanitize;
    assay_simt_configure_host_launches(&options);
  }
  ReportAtExit(const ReportAtExit&) = delete;
  ReportAtExit& operator=(const ReportAtExit&) = delete;
  ~ReportAtExit() {
    assay_simt_report report;
    assay_simt_take_host_report(&report);
    bool found = false;
    for (unsigned i = 0; i < report.finding_count; ++i) {
      const assay_simt_finding& f = report.findings[i];
      if (f.kind == ASSAY_SIMT_INVALID_LAUNCH) continue;  // the program has the error code
      found = true;
      std::fprintf(stderr, "line %u, thread (%u,%u,%u) of block (%u,%u,%u): %s", f.place.line,
                   f.place.thread[0], f.place.thread[1], f.place.thread[2], f.place.block[0],
                   f.place.block[1], f.place.block[2], f.message);
      if (f.has_other != 0) {
        std::fprintf(stderr, " (other: line %u, thread (%u,%u,%u) of block (%u,%u,%u))",
                     f.other.line, f.other.thread[0], f.other.thread[1], f.other.thread[2],
                     f.other.block[0], f.other.block[1], f.other.block[2]);
      }
      std::fputc('\n', stderr);
    }
    std::fflush(nullptr);
    if (found) _exit(66);
  }
};

}  // namespace assay::simt
