#include "worker/metrics_key.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/digest.hpp"
#include "base/os.hpp"
#include "eval/evaluation.hpp"
#include "eval/profiled_call.hpp"
#include "model/device_info.hpp"
#include "model/ids.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "worker/metrics_lane.hpp"

namespace assay::worker {
namespace {

namespace fs = std::filesystem;
using eval::Side;

/// Everything that a key is made of, to be changed one by one.
struct Made {
  std::string body =
      R"({"reference": {"source": "r"}, "kernel": {"source": "c"}, "num_trials": 3, "seed": 1})";
  std::string reference = "reference code";
  std::string candidate = "candidate code";
  DeviceInfo device{.kind = DeviceKind::cuda, .name = "H200", .driver = "580.1"};
  std::string ncu = "profiler";
  MetricsWanted wanted{.sections = {"SpeedOfLight"}};
  std::string python = "Python 3.11";
  std::string kernels;
  bool first = false;
};

class MetricsKeyTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::optional<Digest> key(const Made& made, Side side) const {
    const auto file = [&](const char* name, const std::string& content) {
      const fs::path path = temp_.path() / name;
      std::ofstream(path) << content;
      fs::last_write_time(path, fs::file_time_type{});
      return path;
    };
    const Request request;
    const eval::EvaluationInput input{
        .request = request,
        .reference = BuiltKernel{.module = file("reference", made.reference)},
        .candidate = BuiltKernel{.module = file("candidate", made.candidate)}};
    const fs::path ncu = file("ncu", made.ncu);
    return metrics_key({.input = input,
                        .job = JobId{"1"},
                        .body = made.body,
                        .wanted = made.wanted,
                        .kernels = {.first_of_each_grid = made.first}},
                       side, made.kernels,
                       {.device = made.device, .ncu = ncu, .python = made.python});
  }
  [[nodiscard]] bool changes(Side side, const std::function<void(Made&)>& change) const {
    Made made;
    const auto before = key(made, side);
    change(made);
    return before != key(made, side);
  }

  TempDir temp_ = TempDir::create("/tmp", "assay-key-").value();
};

TEST_F(MetricsKeyTest, follows_what_was_built_and_what_is_asked_of_whom) {
  for (const Side side : {Side::original, Side::custom}) {
    EXPECT_TRUE(key({}, side));
    EXPECT_TRUE(changes(side, [](Made& made) { made.reference += "!"; }));
    EXPECT_TRUE(changes(side, [](Made& made) { made.device.name = "H100"; }));
    EXPECT_TRUE(changes(side, [](Made& made) { made.device.driver = "590"; }));
    EXPECT_TRUE(changes(side, [](Made& made) { made.ncu += "!"; }));
    EXPECT_TRUE(changes(side, [](Made& made) { made.kernels = "gemm"; }));
    EXPECT_TRUE(changes(side, [](Made& made) { made.first = true; }));
    EXPECT_TRUE(changes(side, [](Made& made) { made.python = "Python 3.12"; }));
    EXPECT_TRUE(changes(side, [](Made& made) { made.wanted.sections = {"Occupancy"}; }));
    EXPECT_TRUE(changes(side, [](Made& made) { made.wanted = {.metrics = {"SpeedOfLight"}}; }));
    EXPECT_TRUE(changes(side, [](Made& made) {
      made.body = R"({"reference": {"source": "other"}, "kernel": {"source": "c"}})";
    }));
  }
}

TEST_F(MetricsKeyTest, of_the_reference_does_not_depend_on_the_candidate) {
  const auto other = [](Made& made) {
    made.candidate = "another";
    made.body = R"({"reference": {"source": "r"}, "kernel": {"source": "another"}})";
  };
  EXPECT_FALSE(changes(Side::original, other));
  EXPECT_TRUE(changes(Side::custom, other));
  EXPECT_NE(key({}, Side::original), key({}, Side::custom));
}

TEST_F(MetricsKeyTest, does_not_depend_on_seeds_and_trials) {
  EXPECT_FALSE(changes(Side::custom, [](Made& made) {
    made.body = R"({"reference": {"source": "r"}, "kernel": {"source": "c"}, "seed": 9})";
  }));
}

TEST_F(MetricsKeyTest, is_none_for_a_body_that_is_no_json) {
  Made made;
  made.body = "{";
  EXPECT_EQ(key(made, Side::custom), std::nullopt);
}

}  // namespace
}  // namespace assay::worker
