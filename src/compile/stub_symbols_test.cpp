#include "compile/stub_symbols.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace assay::compile {
namespace {

TEST(StubSymbols, instances_of_templates_are_asked_for_by_their_arguments) {
  const auto stubs =
      find_stubs({"_Z1", "_Z2", "_Z3", "_Z4"},
                 {"void ns::scale<c10::Half, 4>(c10::Half const*, int)", "relu(float*, int)",
                  "at::empty_like(at::Tensor const&)", "assay_anonymous::fill(void (*)(int))"},
                 {"ns::scale", "relu", "fill"});
  ASSERT_EQ(stubs.size(), 3U);
  EXPECT_EQ(stubs[0].symbol, "_Z1");
  EXPECT_EQ(stubs[0].expression, "ns::scale<c10::Half, 4>");
  EXPECT_EQ(stubs[1].expression, "relu");
  EXPECT_EQ(stubs[2].expression, "assay_anonymous::fill");
}

TEST(StubSymbols, kernel_with_c_linkage_has_no_signature) {
  const auto stubs = find_stubs({"add"}, {"add"}, {"add"});
  ASSERT_EQ(stubs.size(), 1U);
  EXPECT_EQ(stubs[0].expression, "add");
}

}  // namespace
}  // namespace assay::compile
