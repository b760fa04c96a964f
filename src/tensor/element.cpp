#include "tensor/element.hpp"

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <device_code/work.hpp>
#include <fmt/core.h>

#include "model/dtype.hpp"
#include "tensor/accelerator.hpp"
#include "tensor/kind.hpp"

namespace assay::tensor {

double read_element(DType dtype, std::span<const std::byte> bytes, std::size_t index) {
  return work::read(kind_of(dtype), bytes.data(), index);
}

std::vector<double> every_nth(DType dtype, std::span<const std::byte> bytes, std::size_t step) {
  const std::size_t count = bytes.size() / size_of(dtype);
  std::vector<double> values((count + step - 1) / step);
  if (Accelerator* const accelerator = accelerator_of({bytes}); accelerator != nullptr) {
    const work::GatherTask task{
        .from = bytes.data(), .count = values.size(), .step = step, .kind = kind_of(dtype)};
    if (accelerator->run({.kernel = "assay_gather", .elements = values.size()}, task,
                         std::span(values))) {
      return values;
    }
  }
  with_kind(dtype, [&](auto kind) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = work::read(kind, bytes.data(), i * step);
    }
  });
  return values;
}

void write_element(DType dtype, std::span<std::byte> bytes, std::size_t index, double value) {
  work::write(kind_of(dtype), bytes.data(), index, value);
}

std::string format_element(DType dtype, std::span<const std::byte> bytes, std::size_t index) {
  const work::Kind kind = kind_of(dtype);
  const auto raw = work::raw(kind, bytes.data(), index);
  if (is_floating(dtype)) {
    const double value = work::number(kind, raw);
    if (std::isnan(value)) return "nan";  // no sign
    return dtype == DType::float64 ? fmt::format("{}", value)
                                   : fmt::format("{}", static_cast<float>(value));
  }
  if (work::is_signed(kind)) {
    return fmt::format("{}", static_cast<long long>(work::widened(kind, raw)));
  }
  return fmt::format("{}", raw);
}

}  // namespace assay::tensor
