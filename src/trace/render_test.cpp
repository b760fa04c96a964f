#include "trace/render.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/table.hpp"
#include "trace/utf8.hpp"

namespace assay::trace {
namespace {

Table kernels() {
  Table table{.name = "kernels",
              .title = "Kernels",
              .columns = {{"name", "Kernel"},
                          {"count", "Count", ColumnType::integer},
                          {"total_ns", "Total", ColumnType::duration},
                          {"share_pct", "Share", ColumnType::percent}}};
  table.add_row({"gemm<float, 4>", 1200, 1500000, 75.0});
  table.add_row({"say \"hi\"|", 3, 500000, Cell()});
  table.notes.push_back("shares are of kernel time");
  return table;
}

Report sample() {
  Report report{.title = "run.sqlite"};
  report.facts.push_back({"gpu", "GPU", "H200"});
  report.facts.push_back({"busy_ns", "GPU busy", 2000000, ColumnType::duration});
  report.findings.push_back({.kind = FindingKind::answer,
                             .name = "top_kernel",
                             .title = "Most time",
                             .message = "gemm takes most.",
                             .subject = "forward",
                             .evidence = {{"count", "Count", 1200, ColumnType::integer}}});
  report.tables.push_back(kernels());
  report.diagnostics.add("open_range", "no end", 2);
  return report;
}

TEST(RenderTable, aligns_scales_and_tells_everything) {
  EXPECT_EQ(render(sample(), Format::table),
            "run.sqlite\n"
            "  GPU       H200\n"
            "  GPU busy  2.000 ms\n"
            "\n"
            "[answer] Most time: forward\n"
            "  gemm takes most.\n"
            "    Count  1,200\n"
            "\n"
            "Kernels\n"
            "Kernel          Count     Total  Share\n"
            "--------------  -----  --------  -----\n"
            "gemm<float, 4>  1,200  1.500 ms  75.0%\n"
            "say \"hi\"|           3  500.0 us      -\n"
            "note: shares are of kernel time\n"
            "\n"
            "Left out or malformed\n"
            "open_range: 2 (no end)\n");
}

TEST(RenderTable, shortens_long_names_to_the_width) {
  Report report{.title = "t"};
  report.tables.push_back(kernels());
  report.tables[0].add_row({std::string(500, 'x'), 1, 1, 1.0});
  const std::string text = render(report, Format::table, {.width = 60});
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    EXPECT_LE(display_width(text.substr(at, end - at)), 60U);
    at = end + 1;
  }
}

TEST(RenderTable, fits_a_narrow_terminal_and_says_what_that_cost) {
  Report report{.title = "t"};
  Table table{.name = "kernels", .title = "Kernels", .columns = summary_columns()};
  table.columns.push_back({"busy_ns", "First to last work", ColumnType::duration});
  table.columns.push_back({"name", "Name", ColumnType::text});
  table.columns.push_back({"rule", "Class by rule", ColumnType::text});
  std::vector<Cell> row =
      summary_cells({.count = 12, .total = 540'000, .average = 45'000}, 600'000);
  row.insert(row.end(), {Cell(1'000'000), Cell("void a_kernel_with_a_long_name<float, 4>(int)"),
                         Cell("*elementwise* (built in)")});
  table.add_row(std::move(row));
  report.tables.push_back(std::move(table));
  for (const std::size_t width : {80U, 100U, 132U}) {
    const std::string text = render(report, Format::table, {.width = width});
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      EXPECT_LE(display_width(text.substr(at, text.find('\n', at) - at)), width) << text;
    }
    EXPECT_EQ(text.find("Too narrow for: Class by rule") != std::string::npos, width < 132) << text;
    EXPECT_NE(text.find("First to\n"), std::string::npos) << text;
  }
}

TEST(RenderTable, says_when_a_table_has_no_rows) {
  Report report{.title = "t"};
  report.tables.push_back({.name = "e", .title = "Empty", .columns = {{"a", "A"}}});
  EXPECT_NE(render(report, Format::table).find("(no rows)"), std::string::npos);
}

TEST(RenderJson, is_stable_and_in_base_units) {
  EXPECT_EQ(render(sample(), Format::json),
            R"({
  "title":"run.sqlite",
  "facts":{
    "gpu":"H200",
    "busy_ns":2000000
  },
  "findings":[
    {"kind":"answer","name":"top_kernel","title":"Most time","subject":"forward",)"
            R"("message":"gemm takes most.","evidence":{"count":1200}}
  ],
  "tables":{
    "kernels":{
      "title":"Kernels",
      "columns":[
        {"name":"name","heading":"Kernel","type":"text"},
        {"name":"count","heading":"Count","type":"integer"},
        {"name":"total_ns","heading":"Total","type":"duration"},
        {"name":"share_pct","heading":"Share","type":"percent"}
      ],
      "rows":[
        {"name":"gemm<float, 4>","count":1200,"total_ns":1500000,"share_pct":75},
        {"name":"say \"hi\"|","count":3,"total_ns":500000,"share_pct":null}
      ],
      "notes":[
        "shares are of kernel time"
      ]
    }
  },
  "diagnostics":[
    {"name":"open_range","count":2,"detail":"no end"}
  ]
}
)");
}

TEST(RenderJson, keeps_both_of_two_tables_with_one_name) {
  Report report{.title = "t"};
  report.tables = {{.name = "a"}, {.name = "a"}};
  EXPECT_NE(render(report, Format::json).find("\"a_2\":"), std::string::npos);
}

TEST(RenderCsv, of_one_table_is_that_table_alone) {
  EXPECT_EQ(render(sample(), Format::csv),
            "name,count,total_ns,share_pct\r\n"
            "\"gemm<float, 4>\",1200,1500000,75\r\n"
            "\"say \"\"hi\"\"|\",3,500000,\r\n");
}

TEST(RenderCsv, writes_numbers_out_that_a_shell_can_compute_with) {
  Report report{.title = "t"};
  report.tables = {{.name = "a", .columns = {{"x", "X", ColumnType::real}}}};
  for (const double value : {100000.0, 0.0, 0.25, -1234567.5, 1e-7, 1e300}) {
    report.tables[0].add_row({value});
  }
  EXPECT_EQ(render(report, Format::csv),
            "x\r\n100000\r\n0\r\n0.25\r\n-1234567.5\r\n1e-07\r\n1e+300\r\n");
}

TEST(RenderCsv, of_several_tables_names_each) {
  Report report{.title = "t"};
  report.tables = {{.name = "a", .columns = {{"x", "X"}}}, {.name = "b", .columns = {{"y", "Y"}}}};
  EXPECT_EQ(render(report, Format::csv), "table,a\r\nx\r\n\r\ntable,b\r\ny\r\n");
}

TEST(RenderCsv, without_tables_gives_the_findings) {
  Report report = sample();
  report.tables.clear();
  EXPECT_EQ(render(report, Format::csv),
            "kind,name,title,subject,message\r\n"
            "answer,top_kernel,Most time,forward,gemm takes most.\r\n");
}

TEST(RenderMarkdown, escapes_what_names_are_full_of) {
  const std::string text = render(sample(), Format::markdown);
  EXPECT_NE(text.find("| gemm\\<float, 4\\> | 1,200 | 1.500 ms | 75.0% |\n"), std::string::npos);
  EXPECT_NE(text.find("| say \"hi\"\\| | 3 | 500.0 us | - |\n"), std::string::npos);
  EXPECT_NE(text.find("| --- | ---: | ---: | ---: |\n"), std::string::npos);
  EXPECT_NE(text.find("- **Most time** (answer) forward: gemm takes most.\n  - Count: 1,200\n"),
            std::string::npos);
  EXPECT_NE(text.find("- open\\_range: 2 (no end)\n"), std::string::npos);
}

TEST(ParseFormat, knows_its_names_and_refuses_others) {
  EXPECT_EQ(parse_format("markdown").value(), Format::markdown);
  EXPECT_EQ(parse_format("xml").error().code(), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace assay::trace
