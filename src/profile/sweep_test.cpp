#include "profile/sweep.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "profile/sweep_plot.hpp"

namespace assay::profile {
namespace {

TEST(Sweep, is_every_choice_of_values_put_in_the_command) {
  const std::vector<SweepAxis> axes = {parse_axis("batch=1,8").value(),
                                       parse_axis("length=64,128").value()};
  const auto points =
      expand_sweep(axes, {"python", "t.py", "--shape", "{batch}x{length}", "{batch}"}).value();
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[1].label, "batch=1,length=128");
  EXPECT_EQ(points[3].command,
            (std::vector<std::string>{"python", "t.py", "--shape", "8x128", "8"}));
  EXPECT_TRUE(expand_sweep({{.name = "path", .values = {"/a b"}}}, {"{path}"})
                  .value()[0]
                  .label.starts_with("path=_a_b-"));
}

TEST(Sweep, refuses_what_changes_nothing_and_what_is_no_axis) {
  EXPECT_EQ(expand_sweep({{.name = "batch", .values = {"1"}}}, {"python"}).error().code(),
            ErrorCode::invalid_argument);
  for (const char* wrong : {"", "batch", "batch=", "=1", "a b=1", "batch=,"}) {
    EXPECT_FALSE(parse_axis(wrong).has_value()) << wrong;
  }
}

TEST(Sweep, tells_points_apart_whose_values_no_folder_can_be_named_for) {
  const auto points = expand_sweep({parse_axis("path=a/b,a b").value()}, {"x", "{path}"}).value();
  ASSERT_EQ(points.size(), 2U);
  EXPECT_NE(points[0].label, points[1].label);
  EXPECT_EQ(points[0].label.find('/'), std::string::npos);
  EXPECT_FALSE(parse_axis("batch=1,8,1").has_value()) << "it would be tried twice";
}

TEST(Sweep, has_one_folder_however_many_values_are_tried) {
  const std::vector<std::string> command = {"x", "{batch}"};
  const auto few = sweep_folder("runs", {{.name = "batch", .values = {"1"}}}, command);
  EXPECT_EQ(sweep_folder("runs", {{.name = "batch", .values = {"1", "8"}}}, command), few);
  EXPECT_NE(sweep_folder("runs", {{.name = "batch", .values = {"1"}}}, {"y", "{batch}"}), few);
}

TEST(SweepPlot, draws_what_is_known_and_leaves_failures_out) {
  const std::string picture =
      sweep_plot({"batch=1", "a<b", "batch=32"}, {{"step", {1.0, std::nullopt, 4.0}}}, "ms");
  EXPECT_TRUE(picture.starts_with("<svg"));
  EXPECT_NE(picture.find("a&lt;b"), std::string::npos);
  std::size_t points = 0;
  for (std::size_t at = picture.find("<circle"); at != std::string::npos;
       at = picture.find("<circle", at + 1)) {
    ++points;
  }
  EXPECT_EQ(points, 2U);
  EXPECT_NE(picture.find(">5</text>"), std::string::npos) << "the axis ends at a round number";
  EXPECT_TRUE(sweep_plot({}, {}, "").ends_with("</svg>\n"));
}

}  // namespace
}  // namespace assay::profile
