#include "simt/torch_words.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "simt/edits.hpp"
#include "simt/lexer.hpp"

namespace assay::simt {
namespace {

class TorchRewriter {
 public:
  TorchRewriter(const std::vector<Token>& tokens, Edits& edits) : tokens_(tokens), edits_(edits) {}

  void run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == TokenKind::text) literal(i);
      if (tokens_[i].kind == TokenKind::word) word(i);
    }
  }

 private:
  [[nodiscard]] bool is(std::size_t i, std::string_view spelling) const {
    return i < tokens_.size() && tokens_[i].is(spelling);
  }
  /// Whether the token `back` places before `i` is spelled so.
  [[nodiscard]] bool before(std::size_t i, std::size_t back, std::string_view spelling) const {
    return i >= back && tokens_[i - back].is(spelling);
  }
  void replace(std::size_t i, std::string_view text) {
    edits_.replace(tokens_[i].offset, tokens_[i].spelling.size(), std::string(text));
  }

  /// "cuda" and "cuda:1", alone in their quotes.
  void literal(std::size_t i) {
    std::string_view text = tokens_[i].spelling;
    if (!text.starts_with("\"cuda") || !text.ends_with('"')) return;
    text = text.substr(5, text.size() - 6);
    const bool indexed =
        text.starts_with(':') && text.size() > 1 &&
        std::ranges::all_of(text.substr(1), [](char c) { return c >= '0' && c <= '9'; });
    if (text.empty() || indexed) replace(i, "\"cpu\"");
  }

  void word(std::size_t i) {
    const bool is_method = (before(i, 1, ".") || before(i, 1, "->")) && is(i + 1, "(");
    if (is(i, "kCUDA")) {
      replace(i, "kCPU");
    } else if (is(i, "is_cuda") && is_method) {
      replace(i, "is_cpu");
      // The old x.type() knows of CUDA alone.
      if (before(i, 2, ")") && before(i, 3, "(") && before(i, 4, "type")) replace(i - 4, "device");
    } else if (is(i, "cuda") && is_method) {
      replace(i, "cpu");
    } else if (is(i, "get_device") && is_method && is(i + 2, ")")) {
      replace(i, "device().has_index");  // the processor's has none: 0, as the only GPU's would be
    } else if (is(i, "index") && is_method && before(i, 2, ")") && before(i, 3, "(") &&
               before(i, 4, "device")) {
      replace(i, "has_index");
    } else if (is(i, "CUDA")) {
      device_enumerator(i);
    } else if (is(i, "cuda") && before(i, 1, "::") && before(i, 2, "torch") && is(i + 1, "::")) {
      replace(i - 2, before(i, 3, "::") ? "assay" : "::assay");
      replace(i, "simt::torch_cuda");
    }
  }

  void device_enumerator(std::size_t i) {
    const bool is_enumerator =
        before(i, 1, "::") &&
        (before(i, 2, "DeviceType") || before(i, 2, "DispatchKey") || before(i, 2, "Backend"));
    const bool registers =
        before(i, 1, ",") && before(i, 3, "(") && before(i, 4, "TORCH_LIBRARY_IMPL");
    if (is_enumerator || registers) replace(i, "CPU");
  }

  const std::vector<Token>& tokens_;
  Edits& edits_;
};

}  // namespace

void rewrite_torch_words(const std::vector<Token>& tokens, Edits& edits) {
  TorchRewriter(tokens, edits).run();
}

}  // namespace assay::simt
