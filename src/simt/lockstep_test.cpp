#include "simt/lockstep.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "simt/edits.hpp"
#include "simt/lexer.hpp"
#include "simt/structure.hpp"

namespace assay::simt {
namespace {

std::string in_step(std::string_view source) {
  const std::vector<Token> tokens = lex(source);
  Edits edits;
  keep_in_step(tokens, find_structure(tokens), edits);
  return edits.apply(source);
}

TEST(Lockstep, separates_the_reads_and_the_writes_of_a_volatile_array) {
  EXPECT_EQ(in_step("__device__ void f(volatile float* s, int t) { if (t > 3) s[t] += s[t + 8]; }"),
            "__device__ void f(volatile float* s, int t) { if (t > 3) s[t] = "
            "::assay::simt::in_step(s [ t ] + ( s[t + 8])), ::assay::simt::in_step(0); }");
  EXPECT_EQ(
      in_step("__device__ void f() { volatile __shared__ int s[64]; s[t] = max(s[t], s[t ^ 1]); }"),
      "__device__ void f() { volatile __shared__ int s[64]; s[t] = ::assay::simt::in_step( ( "
      "max(s[t], "
      "s[t ^ 1]))), ::assay::simt::in_step(0); }");
}

TEST(Lockstep, leaves_other_statements_alone) {
  for (const std::string_view source :
       {"__device__ void f(float* s, int t) { s[t] += s[t + 8]; }",
        "__device__ void f(volatile int* s) { s[0] = 1; while (s[1] == s[0]) {} }",
        "__device__ void f(volatile int* s) { for (int i = 0; i < 3; s[i] += s[i + 1]) {} }",
        "__device__ void f(volatile int* s) { s[i++] += s[1]; s[next()] += s[1]; }",
        "__device__ void f(volatile int* s) { x = s[0] == s[1]; }",
        "void on_the_host(volatile int* s) { s[0] += s[1]; }"}) {
    EXPECT_EQ(in_step(source), source);
  }
}

}  // namespace
}  // namespace assay::simt
