// From one real runner to the next, through a file.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "eval/evaluation.hpp"
#include "eval/runner.hpp"
#include "eval/shared_arena.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/verdict.hpp"
#include "worker/compiled_files.hpp"
#include "worker/python_process.hpp"
#include "worker/python_runner.hpp"
#include "worker/python_zygote.hpp"
#include "worker/testkit/python.hpp"

namespace assay::worker {
namespace {

/// Leaves one file more than it finds where Triton keeps its own, and adds how many it found.
constexpr const char* kCandidate = R"(
import os
import pathlib
cache = pathlib.Path("/tmp/.triton/cache/KEY")
cache.mkdir(parents=True, exist_ok=True)
found = len(os.listdir(cache))
(cache / f"{found}.cubin").write_bytes(os.urandom(1000))
def forward(x):
    return x + found
)";

Kernel function(std::string source) {
  return {.source = std::move(source),
          .type = KernelType::torch,
          .metadata = {.function_name = "forward"}};
}

class ZygoteSource final : public eval::RunnerSource {
 public:
  explicit ZygoteSource(PythonZygote& zygote) : zygote_(zygote) {}
  Result<std::unique_ptr<eval::Runner>> fresh() override {
    return fail(ErrorCode::unavailable, "no native runner");
  }
  Result<std::unique_ptr<eval::PythonRunner>> fresh_python(const eval::Bounds&) override {
    ASSAY_TRY(auto process, zygote_.fork());
    return std::make_unique<PythonRunner>(std::move(process),
                                          [](std::unique_ptr<PythonProcess>) {});
  }
  Result<std::unique_ptr<eval::SharedArena>> make_arena(std::size_t size) override {
    return eval::make_host_arena(size);
  }

 private:
  PythonZygote& zygote_;
};

class CompiledKernelsTest : public testkit::PythonTest {
 protected:
  /// Accepted only where the candidate finds so many files.
  Outcome evaluate(int files, std::optional<std::uint64_t> seed = std::nullopt) {
    const Request request{.reference = function("import torch\n"
                                                "def forward(x): return x + " +
                                                std::to_string(files) +
                                                "\n"
                                                "def get_inputs(): return [torch.randn(16)]\n"),
                          .candidate = function(kCandidate),
                          .num_trials = 2,
                          .rounds = 1,
                          .seed = seed};
    const auto store = CompiledFiles::open(directory_->path() / "triton", "", 1U << 20U, clock_);
    ZygoteSource source(*zygote_);
    auto end = eval::evaluate({.request = request,
                               .reference = BuiltKernel{},
                               .candidate = {},
                               .secret = seed.value_or(42),
                               .budget = std::chrono::minutes(1),
                               .compiled = store->get()},
                              source, clock_, {}, {});
    return std::get<Outcome>(end.value());
  }
  void SetUp() override {
    PythonTest::SetUp();
    if (!IsSkipped()) zygote_ = PythonZygote::start(options_, testkit::support()).value();
  }

  SystemClock clock_;
  std::unique_ptr<PythonZygote> zygote_;
};

TEST_F(CompiledKernelsTest, a_runner_finds_what_the_last_of_its_source_left_unless_inputs_repeat) {
  for (int files = 0; files < 3; ++files) {
    const Outcome outcome = evaluate(files);
    EXPECT_EQ(name_of(outcome.verdict), "accepted") << files << reason_of(outcome.verdict);
    EXPECT_EQ(outcome.provenance.candidate_triton_cache_hit, files > 0);
    EXPECT_EQ(outcome.provenance.reference_triton_cache_hit, false);
  }
  const Outcome pinned = evaluate(0, 7);
  EXPECT_EQ(name_of(pinned.verdict), "accepted") << reason_of(pinned.verdict);
  EXPECT_FALSE(pinned.provenance.candidate_triton_cache_hit.has_value());
}

}  // namespace
}  // namespace assay::worker
