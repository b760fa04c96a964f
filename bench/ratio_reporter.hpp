#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

namespace assay::bench {

/// Says after the usual table how long each benchmark took beside a baseline of the same run: only
/// that says something about another machine, or about this one when others use it too.
class RatioReporter final : public benchmark::ConsoleReporter {
 public:
  explicit RatioReporter(std::string baseline) : baseline_(std::move(baseline)) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Aggregate && run.aggregate_name != "median") continue;
      const double seconds =
          run.GetAdjustedRealTime() / benchmark::GetTimeUnitMultiplier(run.time_unit);
      times_.emplace_back(run.run_name.function_name, seconds);
    }
  }

  void Finalize() override {
    ConsoleReporter::Finalize();
    const auto baseline =
        std::ranges::find(times_, baseline_, &std::pair<std::string, double>::first);
    if (baseline == times_.end()) return;
    for (const auto& [name, seconds] : times_) {
      if (name == baseline_) continue;
      GetOutputStream() << name << ": " << seconds / baseline->second << " times " << baseline_
                        << "\n";
    }
  }

 private:
  std::string baseline_;
  std::vector<std::pair<std::string, double>> times_;
};

inline int run_against(std::string baseline, int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  RatioReporter reporter(std::move(baseline));
  return benchmark::RunSpecifiedBenchmarks(&reporter) > 0 ? 0 : 1;
}

}  // namespace assay::bench
