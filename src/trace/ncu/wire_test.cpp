#include "trace/ncu/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "trace/ncu/rep_fixture.hpp"

namespace assay::trace {
namespace {

using testing::WireWriter;

TEST(WireReader, reads_every_kind_of_field) {
  const auto largest = std::numeric_limits<std::uint64_t>::max();
  WireWriter writer;
  writer.integer(1, largest).real(2, 0.1).bytes(300, "text").single(4, 1.5F);
  WireReader reader(writer.text());
  EXPECT_EQ(reader.next()->integer(), largest);
  EXPECT_EQ(reader.next()->real(), 0.1);
  const auto text = reader.next();
  EXPECT_EQ(text->number, 300U);
  EXPECT_EQ(text->bytes(), "text");
  EXPECT_EQ(reader.next()->real(), 1.5);
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.malformed());
}

TEST(WireReader, gives_nothing_for_a_field_of_another_kind) {
  WireWriter writer;
  writer.bytes(1, "text").integer(2, 7);
  WireReader reader(writer.text());
  const auto text = reader.next();
  EXPECT_EQ(text->integer(), 0U);
  EXPECT_EQ(text->real(), 0.0);
  EXPECT_TRUE(reader.next()->bytes().empty());
}

TEST(WireReader, stops_at_a_field_that_is_cut_short) {
  const std::string whole = WireWriter().bytes(1, "text").text();
  for (std::size_t size = 1; size < whole.size(); ++size) {
    WireReader reader(std::string_view(whole).substr(0, size));
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.malformed());
  }
}

TEST(WireReader, refuses_groups_field_zero_and_numbers_too_long) {
  const std::string too_long = "\x08" + std::string(10, '\xFF');
  for (const std::string_view bytes : {std::string_view("\x0B"), std::string_view("\x00", 1),
                                       std::string_view("\x08\xFF"), std::string_view(too_long)}) {
    WireReader reader(bytes);
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.malformed());
    EXPECT_FALSE(reader.next());
  }
}

}  // namespace
}  // namespace assay::trace
