#include "api/prometheus.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "model/job.hpp"
#include "queue/dispatcher.hpp"

namespace assay::api {
namespace {

TEST(Prometheus, lists_jobs_builds_devices_and_histograms) {
  queue::Snapshot snapshot;
  snapshot.jobs.by_state[JobState::queued] = 3;
  snapshot.totals.verdicts["accepted"] = 2;
  snapshot.totals.phases[JobState::building].add(std::chrono::milliseconds(3));
  snapshot.builds.cache_hits = 5;
  snapshot.devices.push_back({.device = {"cpu"}, .held = true});
  const std::string text = prometheus_text(snapshot);
  for (const char* line :
       {"assay_jobs{state=\"queued\"} 3\n", "assay_jobs{state=\"done\"} 0\n",
        "assay_verdicts_total{verdict=\"accepted\"} 2\n", "assay_queue_depth 3\n",
        "assay_build_cache_hits_total 5\n", "assay_device_busy{device=\"cpu\"} 1\n",
        "assay_phase_seconds_bucket{state=\"building\",le=\"0.0025\"} 0\n",
        "assay_phase_seconds_bucket{state=\"building\",le=\"0.005\"} 1\n",
        "assay_phase_seconds_bucket{state=\"building\",le=\"+Inf\"} 1\n",
        "assay_phase_seconds_count{state=\"building\"} 1\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
}

TEST(Prometheus, every_sample_belongs_to_a_declared_family) {
  const std::string text = prometheus_text({});
  EXPECT_EQ(text.find("# HELP"), 0U);
  EXPECT_EQ(text.back(), '\n');
}

}  // namespace
}  // namespace assay::api
