#pragma once

#include <chrono>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "eval/evaluation.hpp"
#include "eval/runner.hpp"
#include "eval/testkit/fake_clock.hpp"
#include "eval/testkit/fake_runner.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/timing_mode.hpp"

namespace assay::eval::testkit {

/// An evaluation over a fake GPU, a fake clock outside and fake runners.
class GatedTimingTest : public testing::Test {
 protected:
  GatedTimingTest() {
    outside_.gates = {&reference_gate_, &candidate_gate_};
    source_.clock_outside = &outside_;
  }

  void take_long_for_scenes(double ns) { reference_gate_.scene_ns = candidate_gate_.scene_ns = ns; }

  Outcome compare(Behaviour candidate, double claimed_fraction = 1.0) {
    FakeRunner& first = source_.add(reference_);
    reference_runner_ = &first;
    if (reference_has_gate_) first.attach(reference_gate_);
    FakeRunner& runner = source_.add(std::move(candidate), claimed_fraction);
    candidate_runner_ = &runner;
    if (candidate_has_gate_) runner.attach(candidate_gate_);
    Request request{.reference = kernel_, .candidate = kernel_, .num_trials = 100};
    request.timing.mode = mode_;
    const EvaluationInput input{.request = request,
                                .reference = BuiltKernel{},
                                .candidate = {},
                                .secret = 42,
                                .device = DeviceKind::cuda,
                                .budget = std::chrono::seconds(1000)};
    return std::get<Outcome>(evaluate(input, source_, clock_, {}, {}).value());
  }

  ManualClock clock_;
  FakeSource source_{clock_};
  FakeClock outside_{clock_};
  FakeGate reference_gate_;
  FakeGate candidate_gate_;
  Behaviour reference_ = doubles;
  FakeRunner* reference_runner_ = nullptr;  // while they compare
  FakeRunner* candidate_runner_ = nullptr;
  Kernel kernel_ = kernel();
  bool reference_has_gate_ = true;
  bool candidate_has_gate_ = true;
  std::optional<TimingMode> mode_;
};

/// Right, with other last bits each time: as a sum by atomics is.
inline Attempt<void> doubles_with_other_bits(Buffers b, int call) {
  auto done = doubles(b);
  b.out[0] *= 1 + static_cast<float>(call % 251) * std::numeric_limits<float>::epsilon();
  return done;
}

}  // namespace assay::eval::testkit
