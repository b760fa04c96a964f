#include "trace/csv.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace assay::trace {
namespace {

using Record = std::vector<std::string>;

TEST(CsvReader, reads_quoted_fields_with_commas_quotes_and_line_feeds) {
  CsvReader reader("a,\"b, c\",\"say \"\"hi\"\"\",\"two\nlines\"\r\n,x\n");
  EXPECT_EQ(reader.next(), (Record{"a", "b, c", "say \"hi\"", "two\nlines"}));
  EXPECT_EQ(reader.next(), (Record{"", "x"}));
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_EQ(reader.malformed(), 0U);
}

TEST(CsvReader, keeps_a_trailing_empty_field) {
  CsvReader reader("a,\n");
  EXPECT_EQ(reader.next(), (Record{"a", ""}));
}

TEST(CsvReader, reads_the_last_line_without_a_line_feed) {
  CsvReader reader("a,b");
  EXPECT_EQ(reader.next(), (Record{"a", "b"}));
  EXPECT_TRUE(reader.at_end());
}

TEST(CsvReader, ends_an_open_quote_with_its_line_and_counts_it) {
  CsvReader reader("\"open\nnext\n");
  EXPECT_EQ(reader.next(), (Record{"open"}));
  EXPECT_EQ(reader.next(), (Record{"next"}));
  EXPECT_EQ(reader.malformed(), 1U);
}

TEST(CsvReader, counts_text_after_a_closing_quote) {
  CsvReader reader("\"a\"b,c\n");
  EXPECT_EQ(reader.next(), (Record{"a", "c"}));
  EXPECT_EQ(reader.malformed(), 1U);
}

TEST(CsvReader, lets_lines_of_something_else_be_skipped) {
  CsvReader reader("program output, with a comma\r\n\"1\",\"2\"\n");
  EXPECT_EQ(reader.peek_line(), "program output, with a comma");
  reader.skip_line();
  EXPECT_EQ(reader.next(), (Record{"1", "2"}));
}

}  // namespace
}  // namespace assay::trace
