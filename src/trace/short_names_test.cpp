#include "trace/short_names.hpp"

#include <gtest/gtest.h>

#include "trace/table.hpp"

namespace assay::trace {
namespace {

Table kernels(const char* first, const char* second) {
  Table table{.name = "kernels", .title = "K", .columns = {{"name", "Name"}, {"range", "Range"}}};
  table.add_row({first, "void f<1>(int)"});
  table.add_row({second, "x"});
  return table;
}

TEST(ShortNames, are_bare_identifiers_of_kernels_alone) {
  Report report{.tables = {kernels("void at::native::add<float>(int)", "sgemm")}};
  report.findings.push_back({.subject = "#3 void at::native::add<float>(int)"});
  shorten_names(report);
  EXPECT_EQ(report.tables[0].rows[0][0], Cell("add"));
  EXPECT_EQ(report.tables[0].rows[0][1], Cell("void f<1>(int)")) << "a range keeps its name";
  EXPECT_EQ(report.findings[0].subject, "#3 add");
}

TEST(ShortNames, that_would_be_alike_keep_their_arguments) {
  Report report{.tables = {kernels("void f<(int)4>(int)", "void f<(int)8>(int)")}};
  shorten_names(report);
  EXPECT_EQ(report.tables[0].rows[0][0], Cell("f<4>"));
  EXPECT_EQ(report.tables[0].rows[1][0], Cell("f<8>"));
}

}  // namespace
}  // namespace assay::trace
