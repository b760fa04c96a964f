#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <device_code/work.hpp>

#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/request.hpp"
#include "model/verdict.hpp"
#include "tensor/arena.hpp"

namespace assay::judge {

/// One answer: where it lies and what it is.
struct OutputView {
  std::string name;
  Shape shape;
  DType dtype = DType::float32;
  std::span<const std::byte> bytes;
  std::optional<tensor::Poison> before{};  // what it was filled with, where that means nothing
  bool is_input = false;                   // lies in the memory of an input
  bool is_array = false;                   // of numpy
  bool is_untouched = false;               // an input that a run in place left as it was
};

/// How far an element may be from the expected one. The tolerance counts. If the error of the
/// expected element is known, a few times that error counts too.
struct Limit {
  Limit(const Tolerance& given) : tolerance(given) {}  // NOLINT: a tolerance is a limit
  Tolerance tolerance;
  std::span<const std::byte> precise{};  // the expected output in float64; empty where unknown
};

/// Running totals over outputs and rounds.
struct Differences {
  std::uint64_t compared = 0;
  std::uint64_t mismatches = 0;
  std::uint64_t unwritten = 0;         // of these, elements that still are what was there before
  std::uint64_t wanted_unwritten = 0;  // the same of the wanted ones
  std::uint64_t nans = 0;              // of the mismatches, NaN written where a number is wanted
  std::uint64_t wanted_nans = 0;       // of the mismatches, where NaN is wanted
  double max = 0;                      // NaN where a difference is
  double sum = 0;
  double used = 0;        // the largest part of its limit that a difference takes; NaN where one is
  std::size_t worst = 0;  // the output that has it
  std::optional<Mismatch> first;

  [[nodiscard]] double mean() const {
    return compared == 0 ? 0.0 : sum / static_cast<double>(compared);
  }
};

/// The same for code that compares elements.
[[nodiscard]] work::Bound bound_of(const Limit& limit);

/// Compares two views of one shape and dtype, element by element. Floats agree within the
/// tolerance. Equal infinities agree. NaN agrees with NaN if the limit says so, and with nothing
/// else. Integers and booleans must be equal. Elements that neither kernel wrote never agree, if
/// the two were filled with different poison.
[[nodiscard]] Differences compare_elements(const OutputView& got, const OutputView& want,
                                           const Limit& limit);

/// Which stretches of them (tensor/stretches.hpp) have elements that do not agree.
[[nodiscard]] std::vector<std::size_t> differing_stretches(const OutputView& got,
                                                           const OutputView& want,
                                                           const Limit& limit);

/// Whether two views of one shape and dtype agree, except for elements that are not finite in
/// `got`.
[[nodiscard]] bool agrees_where_finite(const OutputView& got, const OutputView& want,
                                       const Limit& limit);

/// The verdict on outputs without a single element, which agree with anything.
[[nodiscard]] std::optional<WrongAnswer> nothing_to_compare(const std::vector<OutputView>& outputs,
                                                            int round);

/// What is wrong with count, shapes or types; looks at no element.
[[nodiscard]] std::optional<WrongAnswer> compare_structure(const std::vector<OutputView>& got,
                                                           const std::vector<OutputView>& want,
                                                           int round);

/// The verdict on one round: structure first (count, shape and dtype), then every element of each
/// output under its own limit. Nothing where all agree. Comparing nothing is never agreement.
[[nodiscard]] std::optional<WrongAnswer> compare_outputs(const std::vector<OutputView>& got,
                                                         const std::vector<OutputView>& want,
                                                         const std::vector<Limit>& limits,
                                                         int round, Differences& totals);

}  // namespace assay::judge
