#include "simt/lexer.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace assay::simt {
namespace {

std::vector<std::string> spellings(std::string_view source) {
  std::vector<std::string> result;
  for (const Token& token : lex(source)) result.emplace_back(token.spelling);
  return result;
}

using Words = std::vector<std::string>;

TEST(Lexer, skips_comments_but_counts_their_lines) {
  const auto tokens = lex("a /* <<<\n */ b // >>> \\\n still comment\nc");
  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_EQ(tokens[1].line, 2U);
  EXPECT_EQ(tokens[2].spelling, "c");
  EXPECT_EQ(tokens[2].line, 4U);
}

TEST(Lexer, keeps_strings_whole_whatever_they_hold) {
  EXPECT_EQ(spellings(R"cc(f("a \" <<< // b", '\''))cc"),
            (Words{"f", "(", R"("a \" <<< // b")", ",", R"('\'')", ")"}));
}

TEST(Lexer, ends_a_raw_string_only_at_its_own_delimiter) {
  EXPECT_EQ(spellings("R\"x(a)\" )y\" )x\" b"), (Words{"R\"x(a)\" )y\" )x\"", "b"}));
}

TEST(Lexer, reads_numbers_with_exponents_and_separators) {
  EXPECT_EQ(spellings("1.5e-3f + 1'000 - 0x1p+4"), (Words{"1.5e-3f", "+", "1'000", "-", "0x1p+4"}));
}

TEST(Lexer, marks_directives_with_their_continuation_lines) {
  const auto tokens = lex("#define F(x) \\\n  x<<<1, 1>>>()\nint y;");
  for (const Token& token : tokens) EXPECT_EQ(token.in_directive, token.line < 3);
  EXPECT_TRUE(tokens[0].starts_directive);
}

TEST(Lexer, survives_text_that_never_ends) {
  EXPECT_EQ(spellings("\"open").size(), 1U);
  EXPECT_EQ(spellings("a /* open").size(), 1U);
  EXPECT_EQ(spellings("R\"(open").size(), 1U);
  EXPECT_TRUE(spellings("").empty());
}

}  // namespace
}  // namespace assay::simt
