#include "wire/value.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace assay::wire {
namespace {

TEST(Value, writes_members_in_the_order_given) {
  const Value value = Value::Members{{"z", 1}, {"a", Value::Elements{true, 2.5, "x", {}}}};
  EXPECT_EQ(value.dump(), R"({"z":1,"a":[true,2.5,"x",null]})");
  EXPECT_EQ(value.dump(true).find("{\n  \"z\": 1"), 0U);
}

TEST(Value, keeps_64_bit_integers_and_turns_nan_into_null) {
  EXPECT_EQ(Value(std::numeric_limits<std::uint64_t>::max()).dump(), "18446744073709551615");
  EXPECT_EQ(Value(std::numeric_limits<std::int64_t>::min()).dump(), "-9223372036854775808");
  EXPECT_EQ(Value(std::numeric_limits<double>::quiet_NaN()).dump(), "null");
}

TEST(Value, takes_raw_json_over) {
  EXPECT_EQ(Value(Value::Members{{"r", Value::raw(R"({"x":[1]})")}}).dump(), R"({"r":{"x":[1]}})");
}

TEST(Value, is_read_by_key_and_absent_members_are_null) {
  const Value value = Value::parse(R"({"a":{"b":[1,"t",true]}})").value();
  EXPECT_EQ(value["a"]["b"].elements().at(0).number(), 1);
  EXPECT_EQ(value["a"]["b"].elements().at(1).text(), "t");
  EXPECT_TRUE(value["a"]["b"].elements().at(2).truth());
  EXPECT_TRUE(value["no"]["such"].is_null());
}

TEST(Value, bytes_that_are_not_utf8_do_not_stop_it) {
  EXPECT_NE(Value(std::string("\xff")).dump(), "");
}

TEST(Value, refuses_what_is_not_json) {
  EXPECT_FALSE(Value::parse("{"));
}

TEST(Value, depth_is_bounded_and_brackets_in_texts_count_nothing) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(Value::parse(nested(100)));
  EXPECT_FALSE(Value::parse(nested(101)));
  EXPECT_FALSE(Value::parse(nested(1'000'000)));
  EXPECT_TRUE(Value::parse(R"(["\"[\\", ")" + std::string(200, '{') + "\"]"));
}

TEST(Value, texts_are_changed_wherever_they_stand) {
  const Value value = Value::parse(R"({"a":{"b":["x",1,"y"]},"c":"x"})").value();
  const Value changed =
      value.with_texts([](std::string_view text) { return "<" + std::string(text); });
  EXPECT_EQ(changed.dump(), R"({"a":{"b":["<x",1,"<y"]},"c":"<x"})");
}

}  // namespace
}  // namespace assay::wire
