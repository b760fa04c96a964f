#include "eval/accelerator_check.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <device_code/scene.hpp>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "gate/scene_check.hpp"
#include "judge/compare.hpp"
#include "judge/probes.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/request.hpp"
#include "model/verdict.hpp"
#include "tensor/accelerator.hpp"
#include "tensor/arena.hpp"
#include "tensor/bytes.hpp"
#include "tensor/distribution.hpp"
#include "tensor/element.hpp"
#include "tensor/generate.hpp"

namespace assay::eval {
namespace {

using Host = std::vector<std::byte>;

/// A tensor twice: where the accelerator works on it, and where it does not.
struct Twice {
  explicit Twice(std::size_t size) : there(size), here(size) {}
  Twice(const Twice& other) : there(other.there.span()), here(other.here) {}
  Twice& operator=(const Twice&) = delete;
  Twice(Twice&&) = default;
  Twice& operator=(Twice&&) = delete;
  ~Twice() = default;

  tensor::Bytes there;
  Host here;

  template <class Work>
  void both(const Work& work) {
    work(there.span());
    work(std::span<std::byte>(here));
  }
  [[nodiscard]] bool agree() const {
    Host copy(here.size());
    tensor::copy_bytes(there.span(), copy);
    return copy == here;
  }
};

class Checks {
 public:
  explicit Checks(std::uint64_t seed) : random_(seed) {}

  std::optional<std::string> one_case() {
    const DType dtype = kDTypeNames[random_() % kDTypeNames.size()].first;
    const std::size_t least = tensor::kWorthAccelerating / size_of(dtype);
    const auto width = static_cast<std::int64_t>(2 + random_() % 700);
    const auto rows =
        static_cast<std::int64_t>(least) / width + 1 + static_cast<std::int64_t>(random_() % 300);
    tensor_ = {.shape = {rows, width}, .dtype = dtype, .content = content()};
    std::string wrong = made();
    if (wrong.empty()) wrong = changed();
    if (wrong.empty()) wrong = varied();
    if (wrong.empty()) wrong = judged();
    if (wrong.empty()) return std::nullopt;
    return fmt::format("{} of {} x {} {}", wrong, rows, width, to_string(dtype));
  }

 private:
  TensorContent content() {
    switch (random_() % 4) {
      case 0:
        return Uniform{.low = -3.0, .high = 5.0};
      case 1:
        return Arange{.start = -7, .step = 0.0003};
      default:
        return Randn{.mean = 0.5, .std = 2};
    }
  }

  Twice generated() {
    Twice made(tensor_.byte_size());
    const std::uint64_t seed = random_();
    made.both([&](std::span<std::byte> bytes) { tensor::generate(tensor_, seed, bytes); });
    return made;
  }

  std::string made() {
    const Twice first = generated();
    if (tensor::accelerator_of({first.there.span()}) == nullptr) return "there is no accelerator";
    if (!first.agree()) return "generated numbers";
    Twice poisoned(tensor_.byte_size() - 1);
    poisoned.both([](std::span<std::byte> bytes) { tensor::poison(bytes, tensor::kPoisons[0]); });
    if (!poisoned.agree()) return "poison";
    Twice other(first);
    const std::size_t at = random_() % other.here.size();
    if (!tensor::same_bytes(first.there.span(), other.there.span())) return "equal bytes";
    other.both([&](std::span<std::byte> bytes) {
      const std::byte one = tensor::Readable(bytes.subspan(at, 1)).bytes()[0] ^ std::byte{1};
      tensor::copy_bytes(std::span(&one, 1), bytes.subspan(at, 1));
    });
    if (tensor::same_bytes(first.there.span(), other.there.span())) return "a byte that differs";
    const std::size_t step = 1 + random_() % 999;
    const auto there = tensor::every_nth(tensor_.dtype, first.there.span(), step);
    const auto here = tensor::every_nth(tensor_.dtype, first.here, step);
    const auto same_number = [](double a, double b) {
      return a == b || (std::isnan(a) && std::isnan(b));
    };
    return std::ranges::equal(there, here, same_number) ? "" : "a sample";
  }

  std::string changed() {
    if (!is_floating(tensor_.dtype)) return {};
    Twice numbers = generated();
    const std::uint64_t seed = random_();
    auto distribution = tensor::choose_distribution(seed);
    distribution.apart = random_() % 2 == 0;
    numbers.both([&](std::span<std::byte> bytes) {
      tensor::transform(distribution, tensor_.dtype, tensor_.shape, seed, bytes);
    });
    if (!numbers.agree()) return "inputs " + tensor::describe(distribution);
    numbers.both([&](std::span<std::byte> bytes) { tensor::nudge(tensor_.dtype, seed, bytes); });
    return numbers.agree() ? "" : "changed last bits";
  }

  std::string varied() {
    const Twice numbers = generated();
    Twice other(numbers.here.size());
    const gate::Seeds seeds{.early = random_(), .late = random_()};
    const auto strength = random_() % 2 == 0 ? scene::Strength::gentle : scene::Strength::strong;
    const auto how = gate::variation_of(tensor_.dtype);
    gate::vary(how, strength, numbers.there.span(), other.there.span(), seeds);
    gate::vary(how, strength, numbers.here, other.here, seeds);
    if (!other.agree()) return "the inputs of a timed call";
    const std::size_t size = size_of(tensor_.dtype);
    return gate::fingerprint(other.there.span(), size, seeds.early, 5) ==
                   gate::fingerprint(other.here, size, seeds.early, 5)
               ? ""
               : "a fingerprint";
  }

  /// Some elements of `got` become other numbers, infinities, NaN or poison.
  void spoil(Twice& got) {
    const std::size_t count = element_count(tensor_.shape);
    const std::size_t spoilt = random_() % 20;
    for (std::size_t i = 0; i < spoilt; ++i) {
      const std::size_t at = random_() % count;
      const std::size_t size = size_of(tensor_.dtype);
      Host element(size);
      switch (random_() % 5) {
        case 0:
          tensor::poison(element, tensor::kPoisons[1]);
          break;
        case 1:
          tensor::write_element(tensor_.dtype, element, 0, std::numeric_limits<double>::infinity());
          break;
        case 2:
          tensor::write_element(tensor_.dtype, element, 0,
                                std::numeric_limits<double>::quiet_NaN());
          break;
        default:
          tensor::write_element(tensor_.dtype, element, 0, static_cast<double>(random_() % 100));
      }
      got.both([&](std::span<std::byte> bytes) {
        tensor::copy_bytes(element, bytes.subspan(at * size, size));
      });
    }
  }

  [[nodiscard]] judge::OutputView view(std::span<const std::byte> bytes, std::size_t poison) const {
    return {.name = "out",
            .shape = tensor_.shape,
            .dtype = tensor_.dtype,
            .bytes = bytes,
            .before = tensor::kPoisons[poison]};
  }

  std::string judged() {
    const Twice want = generated();
    Twice got(want);
    if (is_floating(tensor_.dtype)) {
      const std::uint64_t seed = random_();
      got.both([&](std::span<std::byte> bytes) { tensor::nudge(tensor_.dtype, seed, bytes); });
    }
    spoil(got);
    const TensorArg wide{
        .shape = tensor_.shape, .dtype = DType::float64, .content = tensor_.content};
    Twice precise(wide.byte_size());
    const std::uint64_t seed = random_();
    precise.both([&](std::span<std::byte> bytes) { tensor::generate(wide, seed, bytes); });
    Tolerance tolerance{.atol = random_() % 2 == 0 ? 0 : 1e-6, .rtol = 1e-7};
    tolerance.equal_nan = random_() % 4 == 0;
    judge::Limit there(tolerance);
    judge::Limit here(tolerance);
    if (random_() % 2 == 0) {
      there.precise = precise.there.span();
      here.precise = precise.here;
    }
    const auto on_gpu =
        judge::compare_elements(view(got.there.span(), 1), view(want.there.span(), 0), there);
    const auto by_processor = judge::compare_elements(view(got.here, 1), view(want.here, 0), here);
    if (!same(on_gpu, by_processor)) {
      return fmt::format("a comparison ({} against {} mismatches)", on_gpu.mismatches,
                         by_processor.mismatches);
    }
    const std::vector<judge::OutputView> inputs{view(got.there.span(), 1)};
    const std::vector<judge::OutputView> inputs_here{view(got.here, 1)};
    there.tolerance = here.tolerance =
        Tolerance{.atol = 0.01 * static_cast<double>(random_() % 1000)};
    return judge::passing_shortcuts(view(want.there.span(), 0), there, inputs) ==
                   judge::passing_shortcuts(view(want.here, 0), here, inputs_here)
               ? ""
               : "what would pass for an answer";
  }

  static bool same(const judge::Differences& a, const judge::Differences& b) {
    const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
    const auto place = [](const std::optional<Mismatch>& first) {
      return first ? fmt::format("{} {} {}", fmt::join(first->index, ","), first->got, first->want)
                   : std::string();
    };
    const bool sums = std::isnan(a.sum) ? std::isnan(b.sum) : bits(a.sum) == bits(b.sum);
    const bool largest = std::isnan(a.max) ? std::isnan(b.max) : bits(a.max) == bits(b.max);
    return a.compared == b.compared && a.mismatches == b.mismatches && a.unwritten == b.unwritten &&
           a.wanted_unwritten == b.wanted_unwritten && a.nans == b.nans &&
           a.wanted_nans == b.wanted_nans && bits(a.used) == bits(b.used) && sums && largest &&
           place(a.first) == place(b.first);
  }

  std::mt19937_64 random_;
  TensorArg tensor_;
};

}  // namespace

Result<void> check_accelerator(std::size_t cases, std::uint64_t seed) {
  Checks checks(seed);
  for (std::size_t i = 0; i < cases; ++i) {
    if (const auto wrong = checks.one_case()) {
      return fail(ErrorCode::data_loss,
                  fmt::format("case {} of seed {}: the GPU and the processor do not agree: {}", i,
                              seed, *wrong));
    }
  }
  return {};
}

}  // namespace assay::eval
