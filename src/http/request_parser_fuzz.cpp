// Any bytes, cut anywhere, are read, refused or waited for; nothing is read past the end, and
// cutting them differently does not change the outcome.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/message.hpp"
#include "http/parser.hpp"

namespace {

using assay::http::ParseState;
using assay::http::RequestParser;

constexpr assay::http::ParseLimits kLimits = {.max_header = 512, .max_body = 256};

std::string outcome(std::string_view bytes, std::size_t piece) {
  std::string log;
  std::string waiting;
  RequestParser parser(kLimits);
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    waiting += bytes.substr(at, piece);
    while (true) {
      const std::size_t used = parser.feed(waiting);
      if (used > waiting.size()) std::abort();
      waiting.erase(0, used);
      if (parser.state() == ParseState::refused) return log + "refused";
      if (parser.state() != ParseState::done) break;
      if (parser.request().body.size() > kLimits.max_body) std::abort();
      if (parser.request().raw_path.empty()) std::abort();
      log += parser.request().path + "|" + parser.request().body + "\n";
      parser = RequestParser(kLimits);
      if (waiting.empty()) break;
    }
    if (waiting.size() > kLimits.max_header + piece) std::abort();
  }
  return log;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string whole = outcome(bytes, bytes.size() + 1);
  const std::string cut = outcome(bytes, 1 + size % 7);
  // A piece may be refused for what follows the limit before the rest of it is looked at, so
  // only what was accepted by both has to agree.
  const bool agree = whole.ends_with("refused") || cut.ends_with("refused") || whole == cut;
  if (!agree) std::abort();
  return 0;
}
