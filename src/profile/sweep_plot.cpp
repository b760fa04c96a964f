#include "profile/sweep_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

namespace assay::profile {
namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 360;
constexpr double kLeft = 80;
constexpr double kRight = 20;
constexpr double kTop = 40;
constexpr double kBottom = 60;
constexpr std::array<std::string_view, 4> kColours = {"#0b6e4f", "#a23b72", "#2e5eaa", "#c1666b"};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  }
  return out;
}

/// A round number that is not below `value`: 1, 2 or 5 and zeros.
double round_up(double value) {
  if (!(value > 0)) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * power >= value) return step * power;
  }
  return 10 * power;
}

struct Frame {
  std::size_t points = 1;
  double top = 1;  // the value at the upper edge

  [[nodiscard]] double x(std::size_t point) const {
    const double step = (kWidth - kLeft - kRight) / static_cast<double>(points);
    return kLeft + step * (static_cast<double>(point) + 0.5);
  }
  [[nodiscard]] double y(double value) const {
    return kHeight - kBottom - (kHeight - kTop - kBottom) * value / top;
  }
};

std::string draw_line(const SweepLine& line, const Frame& frame, std::string_view colour) {
  std::string out;
  std::string path;
  for (std::size_t i = 0; i < line.values.size(); ++i) {
    if (!line.values[i]) continue;  // the line goes on at the next point
    const double x = frame.x(i);
    const double y = frame.y(*line.values[i]);
    path += fmt::format("{}{:.1f} {:.1f} ", path.empty() ? "M" : "L", x, y);
    out += fmt::format(
        R"(<circle cx="{:.1f}" cy="{:.1f}" r="4" fill="{}"><title>{:.4g}</title></circle>)", x, y,
        colour, *line.values[i]);
  }
  return fmt::format(R"(<path d="{}" fill="none" stroke="{}" stroke-width="2"/>)", path, colour) +
         out + "\n";
}

}  // namespace

std::string sweep_plot(const std::vector<std::string>& points, const std::vector<SweepLine>& lines,
                       const std::string& unit) {
  Frame frame{.points = std::max<std::size_t>(points.size(), 1)};
  double most = 0;
  for (const SweepLine& line : lines) {
    for (const auto& value : line.values) most = std::max(most, value.value_or(0));
  }
  frame.top = round_up(most);
  std::string out = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" font-family="sans-serif" font-size="13">)"
      "\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      kWidth, kHeight);
  for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const double y = frame.y(part * frame.top);
    out += fmt::format(
        R"(<line x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}" stroke="#ddd"/><text x="{}" y="{:.1f}" text-anchor="end">{:.4g}</text>)"
        "\n",
        kLeft, kWidth - kRight, y, y, kLeft - 8, y + 4, part * frame.top);
  }
  out += fmt::format(R"(<text x="8" y="20">{}</text>)", escaped(unit));
  for (std::size_t i = 0; i < points.size(); ++i) {
    out += fmt::format(R"(<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>)", frame.x(i),
                       kHeight - kBottom + 20, escaped(points[i]));
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view colour = kColours[i % kColours.size()];
    out += "\n" + draw_line(lines[i], frame, colour);
    out += fmt::format(R"(<text x="{}" y="{}" fill="{}">{}</text>)",
                       kLeft + 170 * static_cast<double>(i), kHeight - 12, colour,
                       escaped(lines[i].name));
  }
  return out + "\n</svg>\n";
}

}  // namespace assay::profile
