#include "wire/base64.hpp"

#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <zlib.h>

namespace assay::wire {
namespace {

std::string deflated(std::string_view bytes) {
  std::string stream(compressBound(bytes.size()), '\0');
  uLongf size = stream.size();
  EXPECT_EQ(compress(reinterpret_cast<Bytef*>(stream.data()), &size,
                     reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()),
            Z_OK);
  stream.resize(size);
  return stream;
}

TEST(Base64, agrees_with_the_vectors_of_rfc_4648) {
  for (const auto& [bytes, text] : {std::pair{"", ""},
                                    {"f", "Zg=="},
                                    {"fo", "Zm8="},
                                    {"foo", "Zm9v"},
                                    {"foob", "Zm9vYg=="},
                                    {"fooba", "Zm9vYmE="},
                                    {"foobar", "Zm9vYmFy"}}) {
    EXPECT_EQ(encode_base64(bytes), text);
    EXPECT_EQ(decode_base64(text).value(), bytes);
  }
}

TEST(Base64, keeps_every_byte_value) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_EQ(decode_base64(encode_base64(bytes)).value(), bytes);
}

TEST(Base64, refuses_what_is_not_base64) {
  EXPECT_FALSE(decode_base64("abc"));
  EXPECT_FALSE(decode_base64("ab*="));
  EXPECT_FALSE(decode_base64("a=bc"));
}

TEST(Zlib, stream_is_inflated_when_it_has_the_size_asked_for) {
  EXPECT_EQ(inflate_zlib(deflated("hello"), 5).value(), "hello");
}

TEST(Zlib, stream_of_another_size_is_refused) {
  EXPECT_FALSE(inflate_zlib(deflated("hello"), 4));
  EXPECT_FALSE(inflate_zlib(deflated("hello"), 6));
  EXPECT_FALSE(inflate_zlib(deflated(std::string(1 << 20, 'x')), 16));
}

TEST(Zlib, garbage_is_refused) {
  EXPECT_FALSE(inflate_zlib("not a stream", 5));
}

}  // namespace
}  // namespace assay::wire
