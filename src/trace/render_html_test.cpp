#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "trace/ncu/analyze.hpp"
#include "trace/ncu/sample_report.hpp"
#include "trace/render.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

TEST(RenderHtml, is_one_page_that_asks_the_network_for_nothing) {
  const Report report = analyze_ncu(testing::sample_report(), "run").value();
  const std::string page = render(report, Format::html);
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_EQ(occurrences(page, "src="), 0U);
  EXPECT_EQ(occurrences(page, "href="), 0U);
  EXPECT_EQ(occurrences(page, "@import"), 0U);
  EXPECT_EQ(occurrences(page, "url("), 0U);
  EXPECT_EQ(occurrences(page, "http"), 2U);  // the policy's meta element, the name of SVG
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(RenderHtml, holds_every_row_with_its_exact_number) {
  const Report report = analyze_ncu(testing::sample_report(), "run").value();
  const std::string page = render(report, Format::html);
  std::size_t rows = 0;
  for (const Table& table : report.tables) rows += table.rows.size() + 1;
  EXPECT_EQ(occurrences(page, "<tr>"), rows);
  EXPECT_NE(page.find("data-v=\"687194767360000\">687.2 TFLOP/s</td>"), std::string::npos);
}

TEST(RenderHtml, escapes_names_that_would_be_elements) {
  Report report{.title = "<b>&\"title\""};
  report.tables.push_back({.name = "t", .title = "T", .columns = {{"a", "A"}}});
  report.tables[0].add_row({"<script>alert(1)</script>"});
  report.findings.push_back({.name = "f", .title = "<i>", .message = "<u>"});
  const std::string page = render(report, Format::html);
  EXPECT_NE(page.find("<title>&lt;b&gt;&amp;&quot;title&quot;</title>"), std::string::npos);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<i>"), std::string::npos);
  EXPECT_EQ(page.find("<u>"), std::string::npos);
}

TEST(RenderHtml, begins_with_what_was_found) {
  Report report{.title = "t"};
  report.tables.push_back({.name = "x", .title = "Numbers", .columns = {{"a", "A"}}});
  report.findings.push_back({.kind = FindingKind::warning, .title = "Idle", .message = "w"});
  report.findings.push_back({.kind = FindingKind::answer, .title = "Answer", .message = "a"});
  const std::string page = render(report, Format::html);
  EXPECT_LT(page.find("<h3>Answer"), page.find("<h3>Idle"));
  EXPECT_LT(page.find("<h3>Idle"), page.find("<h2>Numbers"));
}

TEST(RenderHtml, has_sections_only_for_figures_there_are) {
  const std::string page = render(Report{.title = "t"}, Format::html);
  EXPECT_EQ(page.find("id=\"timeline\""), std::string::npos);
  EXPECT_EQ(page.find("id=\"breakdown\""), std::string::npos);
  EXPECT_NE(page.find("{\"rooflines\":[]}"), std::string::npos);
}

}  // namespace
}  // namespace assay::trace
