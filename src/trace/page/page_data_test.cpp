#include "trace/page/page_data.hpp"

#include <string>

#include <gtest/gtest.h>

#include "trace/figures.hpp"

namespace assay::trace {
namespace {

TEST(PageData, is_compact_and_relative_to_the_first_span) {
  Timeline timeline;
  timeline.labels = {{"unused", "x"}, {"k<int>", "gemm"}, {"copy", "copy"}};
  timeline.lanes = {{.name = "stream 7", .spans = {{1000, 1010, 1}, {1020, 1050, 2}}}};
  EXPECT_EQ(page_data({.timeline = timeline}),
            R"({"timeline":{"lanes":[{"name":"stream 7","s":[0,20],"d":[10,30],"l":[0,1]}],)"
            R"("labels":[["k\u003cint>",0],["copy",1]],"groups":["gemm","copy"],"span":50},)"
            R"("rooflines":[]})");
}

TEST(PageData, cannot_end_the_script_element_it_stands_in) {
  Breakdown breakdown{.title = "</script><script>alert(1)", .unit = "ns"};
  breakdown.slices = {{"</script>", "<!--", 1}};
  EXPECT_EQ(page_data({.breakdown = breakdown}).find('<'), std::string::npos);
}

TEST(PageData, joins_the_many_small_slices_of_a_group) {
  Breakdown breakdown{.title = "t", .unit = "ns"};
  for (int i = 0; i < 30; ++i) breakdown.slices.push_back({"k", "gemm", 1.0 + i});
  breakdown.slices.push_back({"zero", "gemm", 0});
  const std::string data = page_data({.breakdown = breakdown});
  EXPECT_NE(data.find(R"("unit":"ns")"), std::string::npos);
  EXPECT_NE(data.find(R"(["6 more","gemm",21])"), std::string::npos);
  EXPECT_EQ(data.find("zero"), std::string::npos);
}

TEST(PageData, survives_figures_without_content) {
  EXPECT_EQ(page_data({}), R"({"rooflines":[]})");
  EXPECT_NE(page_data({.timeline = Timeline{}}).find(R"("lanes":[])"), std::string::npos);
}

}  // namespace
}  // namespace assay::trace
