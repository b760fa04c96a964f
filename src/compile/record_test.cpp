#include "compile/record.hpp"

#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "base/digest.hpp"
#include "base/error.hpp"

namespace assay::compile {
namespace {

TEST(Record, any_bytes_come_back_as_they_went_in) {
  const RecordFields fields = {{"log", std::string("a\nb 3\n\0c", 8)}, {"empty", ""}};
  const RecordFields read = decode_record(encode_record(fields)).value();
  EXPECT_EQ(read, fields);
  EXPECT_EQ(field_of(read, "log"), fields[0].second);
  EXPECT_EQ(field_of(read, "absent"), "");
}

TEST(Record, no_part_of_a_record_passes_for_a_whole_one) {
  const std::string text = encode_record({{"log", "hello"}, {"module", "x"}});
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_EQ(decode_record(text.substr(0, size)).error().code(), ErrorCode::data_loss) << size;
  }
}

TEST(Record, a_changed_byte_is_data_loss) {
  std::string text = encode_record({{"log", "hello"}});
  text.back() = 'x';
  EXPECT_EQ(decode_record(text).error().code(), ErrorCode::data_loss);
}

TEST(Record, a_size_that_reaches_past_the_end_is_data_loss) {
  const std::string body = "log 99999999999999999999\nx\n";
  EXPECT_EQ(decode_record(sha256(body).hex() + "\n" + body).error().code(), ErrorCode::data_loss);
  const std::string longer = "log 3\nx\n";
  EXPECT_EQ(decode_record(sha256(longer).hex() + "\n" + longer).error().code(),
            ErrorCode::data_loss);
}

}  // namespace
}  // namespace assay::compile
