#pragma once

#include <optional>
#include <string>
#include <vector>

namespace assay::profile {

/// What one line of the plot shows, a value for each point; none where the point failed.
struct SweepLine {
  std::string name;
  std::vector<std::optional<double>> values;
};

/// A picture (SVG) of the lines over the points, from 0 up. `unit` stands at the axis.
[[nodiscard]] std::string sweep_plot(const std::vector<std::string>& points,
                                     const std::vector<SweepLine>& lines, const std::string& unit);

}  // namespace assay::profile
