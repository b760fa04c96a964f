#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "model/request.hpp"
#include "model/timing_mode.hpp"
#include "wire/decode_error.hpp"
#include "wire/request.hpp"

namespace assay::wire {
namespace {

std::string compare_with(std::string_view extra) {
  constexpr std::string_view kKernel =
      R"({"source_code":"def f(x): return x","kernel_type":"torch"})";
  return std::string(R"({"ref_kernel":)") + std::string(kKernel) + R"(,"custom_kernel":)" +
         std::string(kKernel) + std::string(extra) + "}";
}

std::string path_of_first_error(const std::string& extra) {
  const auto request = decode_request(RequestForm::job, compare_with(extra));
  if (request) return "";
  return arrow_path(std::get<InvalidFields>(request.error()).errors.at(0));
}

TEST(Request, trials_may_be_left_to_us_in_every_form) {
  const auto compare =
      decode_request(RequestForm::compare, compare_with(R"(,"num_trials":"auto")"));
  EXPECT_FALSE(compare.value().num_trials);
  const auto job = decode_request(RequestForm::job, compare_with(R"(,"num_trials":"auto")"));
  EXPECT_FALSE(job.value().num_trials);
  EXPECT_EQ(path_of_first_error(R"(,"num_trials":"many")"), "num_trials");
}

TEST(Request, says_how_times_are_taken_and_told_apart) {
  const auto request = decode_request(
      RequestForm::job, compare_with(R"(,"timing":{"mode":"graph","threshold":0.01})"));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->timing.mode, TimingMode::graph);
  EXPECT_EQ(request->timing.threshold, 0.01);
  const auto plain = decode_request(RequestForm::job, compare_with(""));
  EXPECT_FALSE(plain.value().timing.mode);
  EXPECT_EQ(plain.value().timing.threshold, 0.02);
}

TEST(Request, timing_that_cannot_be_is_refused_by_name) {
  EXPECT_EQ(path_of_first_error(R"(,"timing":{"mode":"hot"})"), "timing -> mode");
  EXPECT_EQ(path_of_first_error(R"(,"timing":{"threshold":0})"), "timing -> threshold");
  EXPECT_EQ(path_of_first_error(R"(,"timing":{"threshold":0.9})"), "timing -> threshold");
  EXPECT_EQ(path_of_first_error(R"(,"timing":{"runs":3})"), "timing -> runs");
  EXPECT_EQ(path_of_first_error(R"(,"timing":3)"), "timing");
  EXPECT_EQ(path_of_first_error(R"(,"timing":{"mode":"warm"})"), "");
}

}  // namespace
}  // namespace assay::wire
