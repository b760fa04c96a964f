#include "trace/json_writer.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

namespace assay::trace {
namespace {

TEST(JsonWriter, writes_numbers_that_read_back_the_same) {
  JsonWriter json;
  json.begin_array();
  json.integer(std::numeric_limits<std::uint64_t>::max());
  json.integer(std::numeric_limits<std::int64_t>::min());
  json.real(0.1).real(1e300).real(2039128437514.157).real(3.0);
  json.end_array();
  EXPECT_EQ(std::move(json).take(),
            "[18446744073709551615,-9223372036854775808,0.1,1e+300,2039128437514.157,3]");
}

TEST(JsonWriter, has_no_text_for_nan_and_infinity) {
  JsonWriter json;
  json.begin_array()
      .real(std::nan(""))
      .real(-std::numeric_limits<double>::infinity())
      .cell({})
      .end_array();
  EXPECT_EQ(std::move(json).take(), "[null,null,null]");
}

TEST(JsonWriter, escapes_strings_and_repairs_utf8) {
  JsonWriter json;
  json.string("q\" b\\ n\n r\r t\t \x01 \xFF");
  EXPECT_EQ(std::move(json).take(), "\"q\\\" b\\\\ n\\n r\\r t\\t \\u0001 \uFFFD\"");
}

TEST(JsonWriter, nests_and_breaks_lines_where_told) {
  JsonWriter json;
  json.begin_object().new_line().key("a").begin_array();
  json.new_line().integer(std::int64_t{1}).new_line().integer(std::int64_t{2});
  json.new_line().end_array().new_line().key("b").begin_object().new_line().end_object();
  json.new_line().end_object();
  EXPECT_EQ(std::move(json).take(), "{\n  \"a\":[\n    1,\n    2\n  ],\n  \"b\":{}\n}");
}

}  // namespace
}  // namespace assay::trace
