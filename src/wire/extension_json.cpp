#include "wire/extension_json.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "model/extension.hpp"
#include "wire/fields.hpp"

namespace assay::wire {
namespace {

/// One part of a path, which leads to no other folder.
bool is_file_name(std::string_view text) {
  constexpr std::size_t kLongest = 255;
  return !text.empty() && text.size() <= kLongest && text != "." && text != ".." &&
         std::ranges::none_of(
             text, [](char c) { return c == '/' || static_cast<unsigned char>(c) < 0x20; });
}

ExtensionCall read_extension_call(const Json& json) {
  ExtensionCall call{.key = json.at("key"),
                     .name = json.at("name"),
                     .sources = {},
                     .cflags = json.at("cflags"),
                     .cuda_cflags = json.at("cuda_cflags")};
  // Both become parts of file names and of sources.
  const auto is_key = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (call.key.size() != 64 || !std::ranges::all_of(call.key, is_key)) {
    throw std::invalid_argument("not the key of an extension");
  }
  if (call.name.empty() || !std::ranges::all_of(call.name, is_word)) {
    throw std::invalid_argument("the name of an extension must be a C++ name");
  }
  for (const Json& source : json.at("sources")) {
    call.sources.push_back(
        {.name = source.at("name"), .text = source.at("text"), .is_cuda = source.at("cuda")});
    if (!is_file_name(call.sources.back().name)) {
      throw std::invalid_argument("a source of an extension must have the name of a file");
    }
  }
  return call;
}

}  // namespace

Json calls_json(const std::vector<ExtensionCall>& calls) {
  Json all = Json::array();
  for (const ExtensionCall& call : calls) {
    Json sources = Json::array();
    for (const ExtensionSource& source : call.sources) {
      sources.push_back({{"name", source.name}, {"text", source.text}, {"cuda", source.is_cuda}});
    }
    all.push_back({{"key", call.key},
                   {"name", call.name},
                   {"sources", std::move(sources)},
                   {"cflags", call.cflags},
                   {"cuda_cflags", call.cuda_cflags}});
  }
  return all;
}

std::vector<ExtensionCall> read_calls(const Json& json) {
  std::vector<ExtensionCall> calls;
  for (const Json& item : json) {
    ExtensionCall call = read_extension_call(item);
    if (std::ranges::find(calls, call.key, &ExtensionCall::key) != calls.end()) {
      throw std::invalid_argument("the same extension twice");
    }
    calls.push_back(std::move(call));
  }
  return calls;
}

}  // namespace assay::wire
