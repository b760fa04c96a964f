#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <semaphore>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "eval/compiled_store.hpp"
#include "eval/evaluation.hpp"
#include "eval/runner.hpp"
#include "eval/shared_arena.hpp"
#include "model/extension.hpp"
#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "model/request.hpp"
#include "model/runner_protocol.hpp"
#include "model/task.hpp"
#include "model/tree.hpp"
#include "model/verdict.hpp"

namespace assay::eval {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kCount = 16;

/// What was asked, in order; two runners may be asked at once.
class Diary {
 public:
  void add(std::string entry) {
    const MutexLock lock(mutex_);
    entries_.push_back(std::move(entry));
  }
  [[nodiscard]] std::vector<std::string> entries() {
    const MutexLock lock(mutex_);
    return entries_;
  }

 private:
  Mutex mutex_;
  std::vector<std::string> entries_ ASSAY_GUARDED_BY(mutex_);
};

/// A Python module as the protocol sees it: one vector in, whatever `forward` makes of it out.
struct Module {
  std::function<std::vector<float>(std::span<float>)> forward;
  bool has_inputs = true;
  bool takes_state = false;
  bool returns_list = false;
  bool returns_nothing = false;
  std::vector<std::string> unmatched{};
  std::function<void()> on_inputs = [] {};  // when it makes them
  std::function<void()> on_load = [] {};    // when its source is executed
  std::optional<Shape> returns{};           // says so of its answer, whatever it holds
  std::string compiles{};                   // beside what it was given
  std::optional<std::uint64_t> claims{};    // to have packed so many bytes
  bool asks_for_extension = false;          // when it runs
  bool asks_when_timed = false;
  std::vector<float> keeps{};  // in a buffer of its model, when it has been called
  VariedWeights varies{};      // if it is told to
  std::function<void(VaryWeights)> on_init = [](VaryWeights) {};
};

std::vector<float> doubled(std::span<float> x) {
  std::vector<float> out;
  for (const float value : x) out.push_back(2 * value);
  return out;
}

/// Answers as python/assay_runner does, in this process.
class FakePython final : public PythonRunner {
 public:
  FakePython(Module module, ManualClock& clock, Diary& log)
      : module_(std::move(module)), clock_(clock), log_(log) {}
  ~FakePython() override {
    if (arena_ != nullptr) ::munmap(arena_, arena_size_);
  }
  FakePython(const FakePython&) = delete;
  FakePython& operator=(const FakePython&) = delete;
  FakePython(FakePython&&) = delete;
  FakePython& operator=(FakePython&&) = delete;

  Attempt<PythonReply> call(const PythonCommand& command, std::span<const int> descriptors,
                            const Bounds&) override {
    descriptors_ = descriptors;
    auto reply = std::visit([this](const auto& c) { return PythonReply((*this)(c)); }, command);
    if (auto* refused = std::get_if<Refused>(&reply)) {
      return std::unexpected(Setback(Fate{std::move(refused->verdict), {}}));
    }
    return reply;
  }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> cpu_time() const override {
    return std::nullopt;
  }

  PythonReply operator()(const PythonLoad& load) {
    log_.add(fmt::format("extensions: {}", load.extensions));
    module_.on_load();
    seed_ = load.seed;
    log_.add(load.with_compiled ? "load with " + given() : "load");
    return Loaded{.has_inputs = module_.has_inputs, .takes_state = module_.takes_state};
  }
  PythonReply operator()(const PreciseRunCommand&) {
    return Refused{.verdict = Unsupported{"float64"}};
  }
  PythonReply operator()(const CopyRunCommand&) { return Refused{.verdict = Unsupported{"copy"}}; }
  PythonReply operator()(const ProduceCommand& command) {
    if (command.parcel == Parcel::kept) return kept();
    log_.add("produce " + std::string(to_string(command.parcel)));
    if (command.parcel == Parcel::inputs) module_.on_inputs();
    values_.assign(kCount, static_cast<float>(command.seed % 1000));
    return Produced{.value = {SequenceNode{.items = {vector()}}},
                    .varied = vary_ != VaryWeights::none ? module_.varies : VariedWeights{}};
  }
  PythonReply operator()(const CollectCommand& command) {
    std::byte* arena = map(command.arena_size);
    std::memcpy(arena + command.offsets.at(0), values_.data(), values_.size() * sizeof(float));
    ::munmap(arena, command.arena_size);
    return Done{};
  }
  PythonReply operator()(const GiveCommand& command) {
    log_.add("give " + std::string(to_string(command.parcel)));
    if (command.parcel == Parcel::state) return Stated{.unmatched = module_.unmatched};
    if (command.parcel == Parcel::init_inputs) {
      vary_ = command.vary_weights;
      module_.on_init(vary_);
    }
    if (command.parcel != Parcel::inputs) return Done{};
    if (arena_ != nullptr) ::munmap(arena_, arena_size_);
    arena_size_ = command.arena_size;
    arena_ = map(arena_size_);
    restores_ = command.restores;
    Tree arguments = command.value;
    input_ = reinterpret_cast<float*>(arena_ + tensors_of(arguments).at(0)->offset.value());
    return Done{};
  }
  PythonReply operator()(const RunCommand&) {
    if (module_.asks_for_extension) return ExtensionsNeeded{.calls = {{.name = "late"}}};
    values_ = module_.forward(std::span(input_, kCount));
    return outputs();
  }
  /// It has no gate: these evaluations are those of the cpu device.
  PythonReply operator()(const ArmCommand&) { return no_gate(); }
  PythonReply operator()(const RoundCommand&) { return no_gate(); }
  PythonReply operator()(const HostTimeCommand&) { return no_gate(); }
  PythonReply operator()(const TraceCommand&) { return no_gate(); }
  PythonReply operator()(const ProfileCommand&) { return Done{}; }
  static PythonReply no_gate() {
    return Refused{.verdict = Unsupported{"no gate"}, .findings = {}};
  }

  PythonReply operator()(const WarmCommand& command) {
    for (int i = 0; i < command.calls; ++i) {
      restore();
      values_ = module_.forward(std::span(input_, kCount));
    }
    return Done{};
  }
  PythonReply operator()(const TimeCommand& command) {
    if (module_.asks_when_timed) return ExtensionsNeeded{.calls = {{.name = "late"}}};
    for (int i = 0; i < command.samples; ++i) {
      restore();
      values_ = module_.forward(std::span(input_, kCount));
      clock_.advance(std::chrono::milliseconds(1));
    }
    return Samples{std::vector<double>(static_cast<std::size_t>(command.samples), 1e6)};
  }
  PythonReply operator()(const OutputsCommand&) { return outputs(); }
  PythonReply operator()(const DiscoverCommand&) { return Discovered{}; }
  PythonReply operator()(const PackCommand&) {
    log_.add("pack");
    const std::string& text = module_.compiles;
    const auto written = ::pwrite(descriptors_.front(), text.data(), text.size(), 0);
    return Packed{module_.claims.value_or(static_cast<std::uint64_t>(written))};
  }

 private:
  void restore() const {
    for (const ArenaCopy& copy : restores_) {
      std::memcpy(arena_ + copy.to, arena_ + copy.from, copy.size);
    }
  }
  [[nodiscard]] PythonReply kept() {
    if (module_.keeps.empty()) return Produced{{MappingNode{}}};
    values_ = module_.keeps;
    return Produced{{MappingNode{.keys = {"norm.running_mean"}, .items = {vector()}}}};
  }
  [[nodiscard]] Tree vector() const {
    return {TensorLeaf{.shape = {static_cast<std::int64_t>(values_.size())}}};
  }
  [[nodiscard]] PythonReply outputs() const {
    if (module_.returns_nothing) return Produced{{NoneLeaf{}}};
    if (module_.returns_list) return Produced{{SequenceNode{.items = {vector()}}}};
    if (module_.returns) return Produced{{TensorLeaf{.shape = *module_.returns}}};
    return Produced{vector()};
  }
  [[nodiscard]] std::string given() const {
    std::string text(64, '\0');
    const auto count = ::pread(descriptors_.back(), text.data(), text.size(), 0);
    text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
    return text.substr(0, text.find('\0'));
  }
  [[nodiscard]] std::byte* map(std::size_t size) const {
    void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptors_.front(), 0);
    return static_cast<std::byte*>(data);
  }

  Module module_;
  ManualClock& clock_;
  Diary& log_;
  std::span<const int> descriptors_;
  std::uint64_t seed_ = 0;
  VaryWeights vary_ = VaryWeights::none;
  std::vector<float> values_;
  std::byte* arena_ = nullptr;
  std::size_t arena_size_ = 0;
  float* input_ = nullptr;
  std::vector<ArenaCopy> restores_;
};

class FakeSource final : public RunnerSource {
 public:
  Result<std::unique_ptr<Runner>> fresh() override {
    return fail(ErrorCode::unavailable, "no native runner");
  }
  Result<std::unique_ptr<PythonRunner>> fresh_python(const Bounds&) override {
    clock.advance(slowness);
    if (waiting.empty()) return fail(ErrorCode::unavailable, "no Python");
    auto runner = std::move(waiting.front());
    waiting.pop_front();
    return runner;
  }
  Result<std::unique_ptr<SharedArena>> make_arena(std::size_t size) override {
    largest_arena = std::max(largest_arena, size);
    if (free && size > *free) return fail(ErrorCode::resource_exhausted, "cuMemCreate: no memory");
    return make_host_arena(size);
  }
  [[nodiscard]] std::optional<std::size_t> free_memory() const override { return free; }
  [[nodiscard]] bool python_is_starting() override { return starting; }
  explicit FakeSource(ManualClock& its_clock) : clock(its_clock) {}
  ManualClock& clock;
  std::optional<std::size_t> free;  // of a device that has memory of its own
  std::size_t largest_arena = 0;
  bool starting = false;
  std::chrono::seconds slowness{};  // what a runner takes to come
  std::deque<std::unique_ptr<PythonRunner>> waiting;
};

/// Keeps text by source.
class FakeStore final : public CompiledStore {
 public:
  std::optional<std::vector<std::byte>> find(const Kernel& kernel) override {
    const auto found = kept.find(kernel.source);
    if (found == kept.end()) return std::nullopt;
    const auto bytes = std::as_bytes(std::span(found->second));
    return std::vector(bytes.begin(), bytes.end());
  }
  void keep(const Kernel& kernel, std::span<const std::byte> packed) override {
    kept[kernel.source] = {reinterpret_cast<const char*>(packed.data()), packed.size()};
  }
  std::map<std::string, std::string> kept;
};

class PythonEvaluationTest : public testing::Test {
 protected:
  void add(Module module) {
    source_.waiting.push_back(std::make_unique<FakePython>(std::move(module), clock_, log_));
  }
  Outcome compare(Module reference, Module candidate) {
    add(std::move(reference));
    add(std::move(candidate));
    return run({.reference = Kernel{.type = KernelType::torch},
                .candidate = {.type = KernelType::torch},
                .num_trials = 20});
  }
  Outcome run(const Request& request) { return std::get<Outcome>(end_of(request)); }
  EvaluationEnd end_of(const Request& request) {
    const EvaluationInput input{
        .request = request,
        .reference = request.reference ? std::optional(BuiltKernel{}) : std::nullopt,
        .candidate = {},
        .secret = 42,
        .budget = std::chrono::seconds(100),
        .compiled = compiled_};
    const EvaluationListener listener{
        .begun = [this] { log_.add("begun"); },
        .step = [](JobStep) {},
        .progress = [this](const TaskProgress& progress) { log_.add(progress.detail); }};
    return evaluate(input, source_, clock_, listener, {}).value();
  }
  /// Both get their inputs from the reference; each does something when it is loaded.
  Result<EvaluationEnd> load(const std::function<void()>& reference,
                             const std::function<void()>& candidate) {
    add({.forward = doubled, .on_load = reference});
    add({.forward = doubled, .has_inputs = false, .on_load = candidate});
    const Request request{.reference = Kernel{.type = KernelType::torch},
                          .candidate = {.type = KernelType::torch}};
    const EvaluationInput input{.request = request,
                                .reference = BuiltKernel{},
                                .candidate = {},
                                .secret = 42,
                                .budget = std::chrono::seconds(100)};
    return evaluate(input, source_, clock_, {}, {});
  }

  ManualClock clock_;
  FakeSource source_{clock_};
  CompiledStore* compiled_ = nullptr;
  Diary log_;
};

TEST_F(PythonEvaluationTest, who_waits_for_python_is_told_so) {
  source_.starting = true;
  EXPECT_EQ(name_of(compare({.forward = doubled}, {.forward = doubled}).verdict), "accepted");
  EXPECT_THAT(log_.entries().front(), testing::HasSubstr("imports torch"));
}

TEST_F(PythonEvaluationTest, candidate_gets_the_references_inputs_and_is_accepted) {
  const Outcome outcome = compare({.forward = doubled}, {.forward = doubled, .has_inputs = false});
  EXPECT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_EQ(outcome.check->rounds_passed, 3);
  EXPECT_EQ(outcome.candidate_timing->samples.size(), 20U);
}

TEST_F(PythonEvaluationTest, next_rounds_inputs_are_made_while_the_candidate_works) {
  std::counting_semaphore<> made(0);
  std::optional<bool> both;  // this round's and the next one's
  const auto await_inputs = [&](std::span<float> x) {
    const auto another = [&] { return made.try_acquire_for(std::chrono::seconds(10)); };
    if (!both) both = another() && another();
    return doubled(x);
  };
  const Outcome outcome = compare({.forward = doubled, .on_inputs = [&] { made.release(); }},
                                  {.forward = await_inputs, .has_inputs = false});
  EXPECT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_TRUE(both.value());
}

TEST_F(PythonEvaluationTest, wrong_element_is_named_as_in_python) {
  const auto off_by_one = [](std::span<float> x) {
    auto out = doubled(x);
    out[5] += 100;
    return out;
  };
  const Outcome outcome = compare({.forward = doubled}, {.forward = off_by_one});
  const auto& wrong = std::get<WrongAnswer>(outcome.verdict);
  EXPECT_EQ(wrong.first->output, "output");
  EXPECT_EQ(wrong.first->index, std::vector<std::int64_t>{5});
}

TEST_F(PythonEvaluationTest, list_where_a_tensor_is_expected_is_wrong) {
  const Outcome outcome = compare({.forward = doubled}, {.forward = doubled, .returns_list = true});
  EXPECT_EQ(std::get<WrongAnswer>(outcome.verdict).reason,
            "Structure mismatch: ref=tensor, custom=(tensor)");
}

TEST_F(PythonEvaluationTest, no_memory_is_taken_for_an_answer_of_another_shape) {
  const Outcome outcome =
      compare({.forward = doubled}, {.forward = doubled, .returns = Shape{1 << 15, 1 << 15}});
  EXPECT_THAT(std::get<WrongAnswer>(outcome.verdict).reason, HasSubstr("Shape mismatch"));
  EXPECT_LT(source_.largest_arena, std::size_t{1} << 20U);
}

TEST_F(PythonEvaluationTest, memory_of_the_device_that_a_kernel_takes_is_its_own) {
  constexpr std::size_t kFree = std::size_t{1} << 30U;
  const auto take = [&] { source_.free = 1; };
  const auto take_nothing = [] {};
  source_.free = kFree;
  const auto by_candidate = std::get<Outcome>(load(take_nothing, take).value());
  EXPECT_THAT(std::get<OutOfMemory>(by_candidate.verdict).reason, HasSubstr("1023 MiB"));
  source_.free = kFree;
  const auto by_reference = std::get<Outcome>(load(take, take_nothing).value());
  EXPECT_EQ(std::get<ReferenceFailed>(by_reference.verdict).verdict, "out_of_memory");
  source_.free = 1;  // somebody else has it
  const auto by_nobody = load(take_nothing, take_nothing);
  ASSERT_FALSE(by_nobody);
  EXPECT_EQ(by_nobody.error().code(), ErrorCode::resource_exhausted);
}

TEST_F(PythonEvaluationTest, wrong_answer_tells_of_weights_that_did_not_match) {
  const auto zeros = [](std::span<float> x) { return std::vector<float>(x.size()); };
  const Outcome outcome =
      compare({.forward = doubled, .takes_state = true},
              {.forward = zeros, .takes_state = true, .unmatched = {"weight: not there"}});
  EXPECT_THAT(reason_of(outcome.verdict), HasSubstr("weight: not there"));
  EXPECT_THAT(log_.entries(), testing::IsSupersetOf({"produce state", "give state"}));
}

/// Models that multiply by two weights, of a norm and another: ones, if they do not vary.
class WeightsTest : public PythonEvaluationTest {
 protected:
  struct Uses {
    bool norm = true;
    bool other = true;
  };
  static Module model(const VariedWeights& varies, Uses uses,
                      std::vector<std::string> unmatched = {}) {
    const auto weight = std::make_shared<float>(1.0F);
    return {.forward =
                [weight](std::span<float> x) {
                  std::vector<float> out;
                  for (std::size_t i = 0; i < x.size(); ++i) {
                    out.push_back(*weight * (x[i] + 7.3F * static_cast<float>(i)));
                  }
                  return out;
                },
            .takes_state = true,
            .unmatched = std::move(unmatched),
            .varies = varies,
            .on_init =
                [=](VaryWeights vary) {
                  const bool norms = vary != VaryWeights::none && !varies.of_norms.empty();
                  const bool others = vary == VaryWeights::all && !varies.others.empty();
                  *weight =
                      (norms && uses.norm ? 3.0F : 1.0F) * (others && uses.other ? 5.0F : 1.0F);
                }};
  }
  /// Over varied weights, over those of norms, and over the author's own, so far as it takes.
  Outcome compare_weights(Uses uses, const VariedWeights& varies, bool strict = false,
                          const std::vector<std::string>& unmatched = {}) {
    for (int i = 0; i < 3; ++i) {
      add(model(varies, {}));
      add(model(varies, uses, unmatched));
    }
    Request request{.reference = Kernel{.type = KernelType::torch},
                    .candidate = {.type = KernelType::torch},
                    .num_trials = 20};
    request.strict = strict;
    return run(request);
  }
  const VariedWeights norms_{.of_norms = {"norm.weight"}, .others = {}};
  const VariedWeights others_{.of_norms = {}, .others = {"scale"}};
  const VariedWeights both_{.of_norms = {"norm.weight"}, .others = {"scale"}};
};

TEST_F(WeightsTest, a_candidate_that_uses_its_weights_is_accepted_at_once) {
  const Outcome outcome = compare_weights({}, both_);
  EXPECT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_TRUE(outcome.warnings.empty());
  EXPECT_EQ(source_.waiting.size(), 4U);
}

TEST_F(WeightsTest, leaving_out_the_weights_of_a_norm_is_wrong) {
  for (const auto& varies : {norms_, both_}) {
    source_.waiting.clear();
    const Outcome outcome = compare_weights({.norm = false}, varies);
    EXPECT_EQ(std::get<WrongAnswer>(outcome.verdict).rule, "weights");
    EXPECT_THAT(reason_of(outcome.verdict), HasSubstr("norm.weight"));
    EXPECT_THAT(reason_of(outcome.verdict), HasSubstr("elements differ"));
  }
}

TEST_F(WeightsTest, other_weights_may_have_been_folded_before_so_that_is_told) {
  for (const auto& varies : {others_, both_}) {
    source_.waiting.clear();
    const Outcome outcome = compare_weights({.other = false}, varies);
    EXPECT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
    ASSERT_FALSE(outcome.warnings.empty());
    EXPECT_EQ(outcome.warnings.front().code, "weights_ignored");
    EXPECT_TRUE(outcome.candidate_timing);
  }
}

TEST_F(WeightsTest, strict_requests_refuse_what_leaves_out_any_weights) {
  const Outcome outcome = compare_weights({.other = false}, others_, true);
  EXPECT_EQ(std::get<WrongAnswer>(outcome.verdict).rule, "weights");
}

TEST_F(WeightsTest, weights_over_which_the_reference_has_no_answer_say_nothing_of_the_candidate) {
  for (int i = 0; i < 6; ++i) {
    const auto number = std::make_shared<float>(1.0F);
    Module root = model(norms_, {});
    root.forward = [number](std::span<float> x) {
      std::vector<float> out;
      for (std::size_t at = 0; at < x.size(); ++at) {
        out.push_back(std::sqrt(*number) * (x[at] + 7.3F * static_cast<float>(at)));
      }
      return out;
    };
    root.on_init = [number](VaryWeights vary) {
      *number = vary == VaryWeights::none ? 1.0F : -0.5F;
    };
    add(std::move(root));
  }
  const Outcome outcome = run({.reference = Kernel{.type = KernelType::torch},
                               .candidate = {.type = KernelType::torch},
                               .num_trials = 20});
  EXPECT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_TRUE(outcome.warnings.empty());
  EXPECT_TRUE(outcome.candidate_timing);
}

TEST_F(WeightsTest, candidates_with_other_names_are_judged_over_the_authors_weights) {
  const Outcome outcome =
      compare_weights({.norm = false}, both_, false, {"norm.weight: not there"});
  EXPECT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  ASSERT_FALSE(outcome.warnings.empty());
  EXPECT_EQ(outcome.warnings.front().code, "unmatched_state");
}

TEST_F(PythonEvaluationTest, changing_an_input_is_tampering_unless_the_reference_does_it_too) {
  const auto in_place = [](std::span<float> x) {
    for (float& value : x) value *= 2;
    return std::vector<float>(x.begin(), x.end());
  };
  EXPECT_EQ(std::get<Tampered>(compare({.forward = doubled}, {.forward = in_place}).verdict).rule,
            kInputModified);
  const Outcome both = compare({.forward = in_place}, {.forward = in_place});
  EXPECT_EQ(name_of(both.verdict), "accepted") << reason_of(both.verdict);
}

TEST_F(PythonEvaluationTest, what_a_model_keeps_of_its_calls_is_compared) {
  const auto keeping = [](std::vector<float> kept) {
    return Module{.forward = doubled, .takes_state = true, .keeps = std::move(kept)};
  };
  const auto told = [&](const std::vector<float>& kept) {
    const Outcome outcome = compare(keeping({1, 2}), keeping(kept));
    EXPECT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
    const auto found = std::ranges::find(outcome.warnings, "state_not_kept", &Warning::code);
    return found == outcome.warnings.end() ? std::string() : found->message;
  };
  EXPECT_EQ(told({1, 2.001F}), "");
  EXPECT_THAT(told({}), HasSubstr("norm.running_mean"));
  EXPECT_THAT(told({1, 3}), HasSubstr("norm.running_mean"));
}

TEST_F(PythonEvaluationTest, inputs_that_a_reference_changes_are_judged_beside_its_answer) {
  const auto leaving = [](float factor) {
    return Module{.forward = [factor](std::span<float> x) {
      std::vector<float> answer(x.begin(), x.end());
      for (float& value : x) value *= factor;
      return answer;
    }};
  };
  const Outcome both = compare(leaving(2), leaving(2));
  EXPECT_EQ(name_of(both.verdict), "accepted") << reason_of(both.verdict);
  const Outcome left_alone = compare(leaving(2), leaving(1));
  EXPECT_EQ(name_of(left_alone.verdict), "wrong_answer") << reason_of(left_alone.verdict);
  EXPECT_EQ(name_of(compare(leaving(2), leaving(3)).verdict), "wrong_answer");
}

TEST_F(PythonEvaluationTest, in_place_kernels_that_return_nothing_are_judged_by_their_inputs) {
  const auto times = [](float factor) {
    return Module{.forward =
                      [factor](std::span<float> x) {
                        for (float& value : x) value *= factor;
                        return std::vector<float>();
                      },
                  .returns_nothing = true};
  };
  const Outcome both = compare(times(2), times(2));
  EXPECT_EQ(name_of(both.verdict), "accepted") << reason_of(both.verdict);
  const Outcome wrong = compare(times(2), times(3));
  EXPECT_EQ(name_of(wrong.verdict), "wrong_answer");
  EXPECT_THAT(reason_of(wrong.verdict), HasSubstr("elements differ"));
  EXPECT_EQ(name_of(compare(times(2), times(1)).verdict), "wrong_answer");
}

TEST_F(PythonEvaluationTest, lone_candidate_makes_its_own_inputs) {
  add({.forward = doubled});
  EXPECT_EQ(name_of(run({.candidate = {.type = KernelType::torch}}).verdict), "accepted");
}

TEST_F(PythonEvaluationTest, kernel_without_inputs_or_contract_is_told_so) {
  add({.forward = doubled, .has_inputs = false});
  const Outcome outcome = run({.candidate = {.type = KernelType::torch}});
  EXPECT_THAT(std::get<DidNotCompile>(outcome.verdict).log, HasSubstr("get_inputs"));
}

TEST_F(PythonEvaluationTest, candidate_cannot_choose_what_it_is_judged_by) {
  const Outcome outcome = compare({.forward = doubled, .has_inputs = false}, {.forward = doubled});
  EXPECT_THAT(std::get<DidNotCompile>(outcome.verdict).log, HasSubstr("get_inputs"));
}

TEST_F(PythonEvaluationTest, contract_of_the_reference_feeds_a_candidate_without_one) {
  add({.forward = doubled, .has_inputs = false});
  add({.forward = doubled, .has_inputs = false});
  const Kernel with_contract{
      .type = KernelType::torch,
      .io = IoContract{
          .args = {{.name = "x", .value = TensorArg{.shape = {kCount}, .content = Randn{}}}}}};
  const Outcome outcome =
      run({.reference = with_contract, .candidate = {.type = KernelType::torch}});
  EXPECT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
}

TEST_F(PythonEvaluationTest, waiting_for_python_is_not_the_submissions_time) {
  source_.slowness = std::chrono::seconds(150);  // the budget is 100
  const Outcome outcome = compare({.forward = doubled}, {.forward = doubled});
  EXPECT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_EQ(log_.entries().front(), "begun");
}

TEST_F(PythonEvaluationTest, evaluation_ends_where_a_kernel_asks_for_what_is_not_built) {
  const Request request{.reference = Kernel{.type = KernelType::torch},
                        .candidate = {.type = KernelType::torch}};
  const Module asks{.forward = doubled, .asks_for_extension = true};
  add({.forward = doubled});
  add(asks);
  const auto of_candidate = std::get<ExtensionsNeeded>(end_of(request));
  EXPECT_EQ(of_candidate.calls.at(0).name, "late");
  EXPECT_FALSE(of_candidate.for_reference);
  add(asks);
  add({.forward = doubled});
  EXPECT_TRUE(std::get<ExtensionsNeeded>(end_of(request)).for_reference);
}

TEST_F(PythonEvaluationTest, nobody_is_timed_again_for_asking_for_an_extension) {
  const Module asks{.forward = doubled, .asks_when_timed = true};
  const Outcome outcome = compare({.forward = doubled}, asks);
  EXPECT_THAT(std::get<Unsupported>(outcome.verdict).reason, HasSubstr("'late'"));
  EXPECT_EQ(name_of(compare(asks, {.forward = doubled}).verdict), "reference_failed");
}

TEST_F(PythonEvaluationTest, kernels_of_every_type_get_the_extensions_built_for_them) {
  const TempDir directory = TempDir::create("/tmp", "assay-eval-").value();
  const std::filesystem::path container = directory.path() / "extensions";
  ASSERT_TRUE(write_file_atomically(container, "content"));
  for (const auto& [type, containers] :
       {std::pair(KernelType::torch, 2), std::pair(KernelType::multi_kernel, 2),
        std::pair(KernelType::torch_cuda, 3)}) {
    add({.forward = doubled});
    const Request request{.candidate = {.type = type}};
    const EvaluationInput input{
        .request = request,
        .candidate = {.module = container, .extensions = {container, container}},
        .budget = std::chrono::seconds(100)};
    ASSERT_TRUE(evaluate(input, source_, clock_, {}, {}));
    std::vector<std::string> loads = log_.entries();
    std::erase_if(loads, [](const std::string& entry) { return !entry.starts_with("extensions"); });
    EXPECT_EQ(loads.back(), fmt::format("extensions: {}", containers));
  }
}

TEST_F(PythonEvaluationTest, extension_that_is_gone_is_our_failure) {
  add({.forward = doubled});
  const Request request{.candidate = {.type = KernelType::torch}};
  const EvaluationInput input{.request = request,
                              .candidate = {.extensions = {"/nowhere/extensions"}},
                              .budget = std::chrono::seconds(100)};
  EXPECT_EQ(evaluate(input, source_, clock_, {}, {}).error().code(), ErrorCode::unavailable);
}

TEST_F(PythonEvaluationTest, python_that_does_not_start_is_our_failure) {
  const Request request{.candidate = {.type = KernelType::torch}};
  const EvaluationInput input{.request = request, .candidate = {}};
  const auto outcome = evaluate(input, source_, clock_, {}, {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message(), "no Python");
}

class CompiledKernelsTest : public PythonEvaluationTest {
 protected:
  CompiledKernelsTest() { compiled_ = &store_; }
  Outcome run_candidate(Module candidate, std::optional<std::uint64_t> seed = std::nullopt) {
    add({.forward = doubled});
    add(std::move(candidate));
    return run({.reference = Kernel{.source = "reference", .type = KernelType::torch},
                .candidate = {.source = "candidate", .type = KernelType::triton},
                .seed = seed});
  }

  FakeStore store_;
};

TEST_F(CompiledKernelsTest, what_a_runner_compiled_is_given_to_the_next_of_the_same_source) {
  const Outcome first = run_candidate({.forward = doubled, .compiles = "machine code"});
  EXPECT_EQ(first.provenance.candidate_triton_cache_hit, false);
  EXPECT_EQ(store_.kept, (std::map<std::string, std::string>{{"candidate", "machine code"}}));

  const Outcome second = run_candidate({.forward = doubled});
  EXPECT_EQ(name_of(second.verdict), "accepted") << reason_of(second.verdict);
  EXPECT_EQ(second.provenance.candidate_triton_cache_hit, true);
  EXPECT_EQ(second.provenance.reference_triton_cache_hit, false);
  EXPECT_THAT(log_.entries(), testing::IsSupersetOf({"load", "load with machine code"}));
  EXPECT_EQ(store_.kept.at("candidate"), "machine code");  // nothing came to it
}

TEST_F(CompiledKernelsTest, nothing_is_given_or_kept_where_inputs_repeat) {
  store_.kept["candidate"] = "answers";
  const Outcome outcome = run_candidate({.forward = doubled, .compiles = "more"}, 7);
  EXPECT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_FALSE(outcome.provenance.candidate_triton_cache_hit.has_value());
  EXPECT_THAT(log_.entries(), testing::Not(testing::Contains("pack")));
  EXPECT_THAT(log_.entries(), testing::Not(testing::Contains("load with answers")));
  EXPECT_EQ(store_.kept.at("candidate"), "answers");
}

TEST_F(CompiledKernelsTest, nothing_is_kept_of_what_was_not_accepted) {
  const auto zeros = [](std::span<float> x) { return std::vector<float>(x.size()); };
  const Outcome outcome = run_candidate({.forward = zeros, .compiles = "machine code"});
  EXPECT_EQ(name_of(outcome.verdict), "wrong_answer");
  EXPECT_THAT(log_.entries(), testing::Not(testing::Contains("pack")));
  EXPECT_TRUE(store_.kept.empty());
}

TEST_F(CompiledKernelsTest, claim_of_more_than_fits_keeps_nothing_and_changes_no_verdict) {
  for (const std::uint64_t claim : {kMaxCompiledBytes + 1, ~std::uint64_t{0}}) {
    const Outcome outcome = run_candidate({.forward = doubled, .compiles = "x", .claims = claim});
    EXPECT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
    EXPECT_TRUE(store_.kept.empty());
  }
}

}  // namespace
}  // namespace assay::eval
