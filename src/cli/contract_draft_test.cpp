#include "cli/contract_draft.hpp"

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/kernel_signature.hpp"
#include "model/request.hpp"
#include "wire/request.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

using ::testing::HasSubstr;
using wire::Value;

Value draft(const char* source) {
  return draft_contract(compile::kernel_signature(source, std::nullopt).value()).value();
}

TEST(ContractDraft, follows_the_signature) {
  const Value contract =
      draft("__global__ void scale(const float* x, half* y, float a, bool flag, int n) {}");
  const auto& args = contract["args"].elements();
  ASSERT_EQ(args.size(), 5U);
  EXPECT_EQ(args[0]["role"].text(), "input");
  EXPECT_EQ(args[0]["tensor_spec"]["init"]["kind"].text(), "randn");
  EXPECT_EQ(args[1]["role"].text(), "output");
  EXPECT_EQ(args[1]["tensor_spec"]["dtype"].text(), "float16");
  EXPECT_EQ(args[2]["type"].text(), "float");
  EXPECT_EQ(args[3]["value"].truth(), true);
  EXPECT_EQ(args[4]["value"].number(), 1024);
}

TEST(ContractDraft, sizes_fit_the_tensors) {
  const Value contract =
      draft("__global__ void t(const float* a, float* b, int rows, int cols) {}");
  const auto& args = contract["args"].elements();
  EXPECT_EQ(args[2]["value"].number() * args[3]["value"].number(),
            args[0]["tensor_spec"]["shape"].elements().front().number());
}

TEST(ContractDraft, is_a_contract_that_requests_take) {
  const Value body = Value::Members{
      {"kernel",
       Value::Members{{"source_code", "s"},
                      {"kernel_type", "cuda"},
                      {"io", draft("__global__ void f(const int* a, int*, long n) {}")}}}};
  EXPECT_TRUE(wire::decode_request(RequestForm::job, body.dump()));
}

TEST(ContractDraft, says_which_parameter_it_cannot_pass) {
  const auto signature = compile::kernel_signature("__global__ void f(Params p) {}", std::nullopt);
  EXPECT_THAT(draft_contract(*signature).error().message(), HasSubstr("'Params p'"));
}

}  // namespace
}  // namespace assay::cli
