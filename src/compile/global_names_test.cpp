#include "compile/global_names.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace assay::compile {
namespace {

constexpr std::string_view kHeader = R"code(
# 1 "header.h"
#define MACRO(hidden_macro) x
extern "C" { int printf(const char* hidden_format, ...); typedef void (*handler)(int hidden_signal); }
int (abs)(int hidden_value);
namespace at { struct Tensor { int hidden_member; }; Tensor softmax(Tensor hidden_self); namespace detail { int c; } }
inline namespace v1 { int shown_inline; }
namespace { int shown_nameless; }
enum Color { shown_red, shown_green = 1 };
enum class Mode { hidden_fast };
template <typename hidden_T, int hidden_n = (4 > 3)> struct Pair { hidden_T hidden_first; } shown_pair;
template struct Pair<float>;
inline int twice(int hidden_argument) { int hidden_local = 2; return hidden_local * hidden_argument; }
using at::Tensor;
const char* shown_text = "{ not a brace"; const char shown_quote = '{'; int shown_number = 1'000'000;
const char* shown_raw = R"x({ " )x";
struct Last { } shown_last;
)code";

TEST(GlobalNames, are_those_declared_outside_of_namespaces_classes_and_functions) {
  const auto [names, opens_namespaces] = global_names(kHeader);
  EXPECT_FALSE(opens_namespaces);
  for (const std::string_view shown :
       {"printf", "handler", "abs", "Tensor", "Color", "Mode", "Pair", "twice", "shown_inline",
        "shown_nameless", "shown_red", "shown_green", "shown_pair", "shown_text", "shown_quote",
        "shown_number", "shown_raw", "Last", "shown_last"}) {
    EXPECT_TRUE(names.contains(shown)) << shown;
  }
  for (const std::string_view name : names) {
    EXPECT_FALSE(name.starts_with("hidden")) << name;
  }
  for (const std::string_view hidden : {"softmax", "c", "detail", "MACRO"}) {
    EXPECT_FALSE(names.contains(hidden)) << hidden;
  }
}

TEST(GlobalNames, of_text_that_ends_too_early_are_those_before) {
  for (const std::string_view text :
       {"int shown; namespace a { int", "int shown; f(", "int shown; template <", "int shown; \"x",
        "int shown; R\"x(", "int shown; '\\", "int shown; template", "int shown; (*"}) {
    EXPECT_TRUE(global_names(text).names.contains("shown")) << text;
  }
  EXPECT_TRUE(global_names("").names.empty());
}

TEST(GlobalNames, include_those_of_a_namespace_that_is_opened_for_all) {
  EXPECT_TRUE(global_names("namespace a { int b; } using namespace a;").opens_namespaces);
  EXPECT_FALSE(global_names("namespace c { using namespace a; }").opens_namespaces);
}

}  // namespace
}  // namespace assay::compile
