#include "compile/own_error.hpp"

#include <filesystem>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "model/extension.hpp"

namespace assay::compile {
namespace {

class OwnErrorTest : public testing::Test {
 protected:
  OwnErrorTest() {
    EXPECT_TRUE(write_file_atomically(headers_.few, "#define CHECK(x) x\nint empty(int count);\n"));
    EXPECT_TRUE(write_file_atomically(headers_.all,
                                      "#define CHECK(x) x\n#define LIBRARY(name, m) void name()\n"
                                      "int empty(int count); int cumsum(int count);\n"
                                      "namespace attr { int c; int sum(int); } int visible;\n"));
  }
  static ExtensionCall call_of(const std::string& source) {
    return {.key = {},
            .name = "extension",
            .sources = {{"main.cpp", "int g();", false}, {"cuda.cu", source, true}},
            .cflags = {},
            .cuda_cflags = {}};
  }
  bool own(std::string_view log, const std::string& source = "int f() { return empty(1); }") {
    const auto answer = is_own_error(log, call_of(source), headers_);
    EXPECT_TRUE(answer) << answer.error().message();
    return answer.value_or(false);
  }

  TempDir directory_ = TempDir::create(std::filesystem::temp_directory_path(), "own-").value();
  HeaderTexts headers_ = header_texts(directory_.path());
};

TEST_F(OwnErrorTest, name_that_no_header_mentions_is_the_sources_own) {
  for (const std::string_view log : {
           "cuda.cu(5): error: identifier \"j\" is undefined\n    y[j] = 2;\n",
           "cuda.cu(8): error: namespace \"torch\" has no member \"empty_liek\"\n",
           "cuda.cu:8:12: error: ‘empty_liek’ is not a member of ‘torch’; did you mean ‘empty’?\n",
           "main.cpp:3:1: error: ‘run’ was not declared in this scope\n",
           "main.cpp:3:1: error: ‘Tenser’ does not name a type\n",
           "main.cpp:3:1: error: ‘Tenser’ has not been declared\n",
           "main.cpp:3:1: error: ‘class at::Tensor’ has no member named ‘lenght’\n",
       }) {
    EXPECT_TRUE(own(log)) << log;
  }
}

TEST_F(OwnErrorTest, name_that_some_header_mentions_may_come_with_it) {
  for (const std::string_view log : {
           "cuda.cu(8): error: namespace \"torch\" has no member \"cumsum\"\n",
           "cuda.cu(8): error: identifier \"cumsum\" is undefined\n",
           "cuda.cu:8:12: error: ‘cumsum’ was not declared in this scope\n",
           "cuda.cu(8): error: namespace \"torch\" has no member \"empty\"\n",
       }) {
    EXPECT_FALSE(own(log)) << log;
  }
}

TEST_F(OwnErrorTest, name_that_only_namespaces_have_is_found_only_through_them) {
  constexpr std::string_view kLog = "cuda.cu(2): error: identifier \"c\" is undefined\n";
  EXPECT_TRUE(own(kLog, "int f(int* a) { return a[0] + c[0]; }"));
  EXPECT_FALSE(own(kLog, "using namespace attr; int f(int* a) { return a[0] + c[0]; }"));
  EXPECT_FALSE(own(kLog, "struct Mine : Theirs { int f() { return c[0]; } };"));
  EXPECT_TRUE(own(kLog, "struct Mine { int f() { return g ? c[0] : 1; } };"));
  EXPECT_TRUE(own("cuda.cu:2:1: error: ‘count’ was not declared in this scope\n",
                  "int f() { return count; }"));
  // A call finds functions in the namespaces of its arguments.
  EXPECT_FALSE(own("cuda.cu:2:1: error: ‘sum’ was not declared in this scope\n",
                   "int f(attr::T x) { return sum(x); }"));
  EXPECT_FALSE(own("cuda.cu:2:1: error: ‘visible’ was not declared in this scope\n",
                   "int f() { return visible; }"));
  EXPECT_FALSE(own("cuda.cu(8): error: namespace \"attr\" has no member \"c\"\n"));
}

TEST_F(OwnErrorTest, grammar_and_missing_files_are_the_sources_own) {
  EXPECT_TRUE(own("cuda.cu(5): warning #177-D: unused\ncuda.cu(6): error: expected a \";\"\n"));
  EXPECT_TRUE(own("At end of source: error: expected a \"}\"\n"));
  EXPECT_TRUE(own("cuda.cu:9:2: error: expected ‘}’ at end of input\n"));
  EXPECT_TRUE(own("cuda.cu:1:10: fatal error: no_such.h: No such file or directory\n"));
}

TEST_F(OwnErrorTest, macro_that_only_all_headers_have_leaves_everything_in_doubt) {
  constexpr std::string_view kLog = "cuda.cu(2): error: identifier \"mine\" is undefined\n";
  EXPECT_FALSE(own(kLog, "LIBRARY(mine, m) {}"));
  EXPECT_TRUE(own(kLog, "CHECK(mine); // not LIBRARY"));
}

TEST_F(OwnErrorTest, errors_of_other_kinds_and_places_are_in_doubt) {
  for (const std::string_view log : {
           "",
           "cuda.cu(5): error: no instance of overloaded function \"def\" matches\n",
           "cuda.cu(5): error: class \"assay::torch_binding::Module\" has no member \"fancy\"\n",
           "/torch/include/a.h(5): error: identifier \"j\" is undefined\n",
           "/torch/include/a.h(5): error: expected a \";\"\ncuda.cu(6): error: expected a \";\"\n",
           "cuda.cu:5:1: error: ‘a::b’ has not been declared\n",
           "cuda.cu:5:1: error: no match for ‘operator<<’\n",
           "cuda.cu(5): warning: unused\n  f(\"error: expected \");\nb.cu(6): error: other\n",
       }) {
    EXPECT_FALSE(own(log)) << log;
  }
}

TEST_F(OwnErrorTest, headers_that_cannot_be_read_are_an_error) {
  std::filesystem::remove(headers_.all);
  EXPECT_FALSE(is_own_error("cuda.cu(6): error: expected a \";\"\n", call_of(""), headers_));
}

}  // namespace
}  // namespace assay::compile
