#include "http/event_codec.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace assay::http {
namespace {

TEST(EncodeEvent, writes_one_data_field_per_line) {
  EXPECT_EQ(encode_event("7", "phase", "a\nb\r\nc"),
            "id: 7\nevent: phase\ndata: a\ndata: b\ndata: c\n\n");
  EXPECT_EQ(encode_event("", "", ""), "data: \n\n");
}

TEST(EncodeEvent, lets_no_line_break_forge_a_field) {
  EXPECT_EQ(encode_event("1\ndata: x", "a\rb", "d\re"), "id: 1 data: x\nevent: a b\ndata: d e\n\n");
}

TEST(EventDecoder, reads_what_was_encoded_whatever_the_pieces) {
  const std::string stream = encode_event("1", "a", "x\ny") + ": ping\n\n" +
                             encode_event("", "", "second") + "event: no data\n\n" +
                             "data:tight\r\n\r\n";
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    EventDecoder decoder;
    std::string seen;
    for (std::size_t at = 0; at < stream.size(); at += size) {
      decoder.feed(std::string_view(stream).substr(at, size));
      while (const auto event = decoder.next()) {
        seen += "[" + event->id + "|" + event->name + "|" + event->data + "]";
      }
    }
    EXPECT_EQ(seen, "[1|a|x\ny][1||second][1||tight]") << size;
  }
}

TEST(EventDecoder, gives_nothing_for_an_unfinished_event) {
  EventDecoder decoder;
  decoder.feed("data: x\n");
  EXPECT_FALSE(decoder.next());
}

}  // namespace
}  // namespace assay::http
