#include "trace/foreign_file.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace assay::trace {
namespace {

TEST(ForeignFile, what_profilers_print_for_people_is_told_from_their_reports) {
  const auto ncu = name_foreign(
      "==PROF== Connected to process 17\n  void f(int) (16, 1, 1)x(128, 1, 1), Context 1\n"
      "    Section: GPU Speed Of Light Throughput\n    Metric Name  Metric Unit  Metric Value\n");
  ASSERT_TRUE(ncu.has_value());
  EXPECT_NE(ncu->find("ncu prints"), std::string::npos);
  EXPECT_NE(ncu->find("--export"), std::string::npos) << "says what to do";
  const auto nsys =
      name_foreign(" ** CUDA API Summary:\n Time (%)  Total Time (ns)\n --------  --\n");
  ASSERT_TRUE(nsys.has_value());
  EXPECT_NE(nsys->find("nsys stats"), std::string::npos);
  EXPECT_NE(name_foreign("Name  Self CPU %  Self CUDA  # of Calls\n")->find("PyTorch"),
            std::string::npos);
}

TEST(ForeignFile, archives_and_programs_are_told_by_their_first_bytes) {
  using namespace std::string_view_literals;
  EXPECT_NE(name_foreign("PK\x03\x04..."sv)->find("zip"), std::string::npos);
  EXPECT_NE(name_foreign("\x7f"
                         "ELF..."sv)
                ->find("program"),
            std::string::npos);
  EXPECT_NE(name_foreign("\x28\xb5\x2f\xfd"sv)->find("zstd"), std::string::npos);
  EXPECT_NE(name_foreign("\x1f\x8b..."sv)->find("gzip twice"), std::string::npos);
  EXPECT_NE(name_foreign(std::string(257, '\0') + "ustar")->find("tar"), std::string::npos);
}

TEST(ForeignFile, what_it_does_not_know_it_does_not_name) {
  EXPECT_FALSE(name_foreign("hello").has_value());
  EXPECT_FALSE(name_foreign("").has_value());
}

}  // namespace
}  // namespace assay::trace
