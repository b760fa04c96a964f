#include "runner/report.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <assay/simt_abi.h>
#include <gtest/gtest.h>

#include "model/verdict.hpp"

namespace assay::runner {
namespace {

assay_simt_report with_finding(std::uint32_t kind, std::string_view message) {
  assay_simt_report report{};
  report.finding_count = 1;
  report.findings[0].kind = kind;
  report.findings[0].place.line = 12;
  std::memcpy(report.findings[0].message, message.data(), message.size());
  return report;
}

TEST(Refusal, is_nothing_for_a_clean_launch) {
  EXPECT_FALSE(refusal(assay_simt_report{}));
}

TEST(Refusal, of_a_wild_access_is_a_crash_with_its_place) {
  auto report = with_finding(ASSAY_SIMT_WILD_ACCESS, "write to 0x10");
  report.status = 700;
  const auto refused = refusal(report).value();
  EXPECT_EQ(std::get<Crashed>(refused.verdict).reason, "wild_access: write to 0x10");
  EXPECT_EQ(refused.findings.at(0).place.line, 12);
}

TEST(Refusal, of_a_race_is_non_deterministic_even_if_the_launch_ended_well) {
  EXPECT_EQ(name_of(refusal(with_finding(ASSAY_SIMT_RACE, "m")).value().verdict),
            "non_deterministic");
}

TEST(Refusal, of_what_the_device_cannot_do_is_unsupported_with_its_line) {
  const auto refused = refusal(with_finding(ASSAY_SIMT_UNSUPPORTED, "clusters")).value();
  EXPECT_EQ(std::get<Unsupported>(refused.verdict).line, 12);
}

TEST(Refusal, of_a_bare_error_code_names_the_code) {
  assay_simt_report report{};
  report.status = 9;
  EXPECT_NE(reason_of(refusal(report).value().verdict).find('9'), std::string::npos);
}

}  // namespace
}  // namespace assay::runner
