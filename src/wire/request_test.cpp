#include "wire/request.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/machine_memory.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "model/request.hpp"
#include "wire/decode_error.hpp"

namespace assay::wire {
namespace {

constexpr std::string_view kKernel = R"({
  "source_code": "__global__ void f(float* x) {}", "kernel_type": "cuda",
  "io": {"args": [{"name": "x", "type": "tensor", "role": "output",
                   "tensor_spec": {"shape": [4, 2], "dtype": "float16"}}],
         "launch": {"grid": {"x": 2}, "block": {"x": 32, "y": 2}}}})";

std::string compare_with(std::string_view extra) {
  return std::string(R"({"ref_kernel":)") + std::string(kKernel) + R"(,"custom_kernel":)" +
         std::string(kKernel) + std::string(extra) + "}";
}

std::string evaluate_with_args(std::string_view args) {
  return R"({"kernel":{"source_code":"s","kernel_type":"cuda","io":{"args":[)" + std::string(args) +
         "]}}}";
}

std::vector<FieldError> field_errors(RequestForm form, std::string_view body) {
  const auto request = decode_request(form, body);
  if (request) return {};
  const auto* invalid = std::get_if<InvalidFields>(&request.error());
  return invalid == nullptr ? std::vector<FieldError>{} : invalid->errors;
}

const TensorArg& first_tensor(const Request& request) {
  return std::get<TensorArg>(request.candidate.io.value().args.at(0).value);
}

TEST(Request, compare_has_the_documented_defaults) {
  const Request request = decode_request(RequestForm::compare, compare_with("")).value();
  EXPECT_EQ(request.num_trials, 100);
  EXPECT_EQ(request.timeout, std::chrono::seconds(120));
  EXPECT_EQ(request.tolerance.atol, 1e-2);
  EXPECT_EQ(request.tolerance.rtol, 1e-2);
  ASSERT_TRUE(request.reference);
  EXPECT_EQ(first_tensor(request).dtype, DType::float16);
  EXPECT_EQ(first_tensor(request).shape, (Shape{4, 2}));
  EXPECT_EQ(first_tensor(request).role, Role::output);
  EXPECT_EQ(request.candidate.io->launch.grid, (Dim3{2, 1, 1}));
  EXPECT_EQ(request.candidate.io->launch.block, (Dim3{32, 2, 1}));
}

TEST(Request, numbers_are_read_leniently_as_clients_expect) {
  const auto request =
      decode_request(RequestForm::compare, compare_with(R"(,"num_trials":"12","atol":"1e-3")"));
  EXPECT_EQ(request.value().num_trials, 12);
  EXPECT_EQ(request.value().tolerance.atol, 1e-3);
}

TEST(Request, fractional_trial_count_is_refused_by_name) {
  const auto errors = field_errors(RequestForm::compare, compare_with(R"(,"num_trials":10.5)"));
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(arrow_path(errors[0]), "num_trials");
  EXPECT_EQ(errors[0].type, "int_from_float");
}

TEST(Request, missing_and_unknown_fields_of_a_kernel_are_named) {
  const auto errors =
      field_errors(RequestForm::evaluate, R"({"kernel":{"kernel_type":"CUDA","x":1}})");
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_EQ(arrow_path(errors[0]), "kernel -> x");
  EXPECT_EQ(errors[0].type, "extra_forbidden");
  EXPECT_EQ(arrow_path(errors[1]), "kernel -> source_code");
  EXPECT_EQ(errors[1].type, "missing");
  EXPECT_EQ(errors[2].type, "enum");
  EXPECT_TRUE(errors[2].message.ends_with("'cuda' or 'multi_kernel', not 'CUDA'"));
}

TEST(Request, bounds_are_those_of_the_compatible_api) {
  const auto trials = decode_request(RequestForm::compare, compare_with(R"(,"num_trials":0)"));
  ASSERT_FALSE(trials);
  EXPECT_EQ(std::get<OutOfBounds>(trials.error()).details, R"({"num_trials":0})");
  const auto timeout = decode_request(RequestForm::compare, compare_with(R"(,"timeout":601)"));
  EXPECT_EQ(std::get<OutOfBounds>(timeout.error()).details, R"({"timeout":601})");
  EXPECT_FALSE(decode_request(RequestForm::compare, compare_with(R"(,"atol":-1)")));
}

TEST(Request, legacy_form_gives_torch_against_torch_cuda_in_30_seconds) {
  const auto request =
      decode_request(RequestForm::compare, R"({"ref_code":"a","custom_code":"b","atol":5})");
  EXPECT_EQ(request.value().reference->type, KernelType::torch);
  EXPECT_EQ(request.value().candidate.type, KernelType::torch_cuda);
  EXPECT_EQ(request.value().timeout, std::chrono::seconds(30));
  EXPECT_EQ(request.value().tolerance.atol, 1e-2);
}

TEST(Request, unknown_top_level_keys_pass_in_compatible_forms_and_not_in_ours) {
  const std::string body = compare_with(R"(,"index":3)");
  EXPECT_TRUE(decode_request(RequestForm::compare, body));
  const auto errors = field_errors(RequestForm::job, body);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(dotted_path(errors[0]), "index");
}

TEST(Request, what_is_missing_is_called_by_the_name_that_documents_use) {
  const auto errors = field_errors(RequestForm::job, "{}");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(dotted_path(errors[0]), "candidate");
}

TEST(Request, empty_source_is_told_under_the_key_that_was_given) {
  const auto errors =
      field_errors(RequestForm::job, R"({"candidate":{"source_code":" ","kernel_type":"torch"}})");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(dotted_path(errors[0]), "candidate.source_code");
  EXPECT_EQ(errors[0].message, "the source is empty");
  const auto bare =
      decode_request(RequestForm::job, R"({"candidate":{"source_code":"s","kernel_type":"cuda"}})");
  ASSERT_FALSE(bare);
  EXPECT_EQ(dotted_path(std::get<OutOfBounds>(bare.error()).field), "candidate");
}

TEST(Request, of_an_unknown_key_it_says_which_one_may_have_been_meant) {
  const std::string args = R"({"name":"a","type":"tensor","tensor_spec":{"dtpe":"int32"}})";
  const auto errors = field_errors(RequestForm::job, evaluate_with_args(args));
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].message, "there is no field 'dtpe': did you mean dtype?");
  EXPECT_TRUE(decode_request(RequestForm::evaluate, evaluate_with_args(args)));
  EXPECT_EQ(field_errors(RequestForm::evaluate,
                         R"({"kernel":{"source_code":"s","kernel_type":"torch","x":1}})")
                .front()
                .message,
            "Extra inputs are not permitted");
}

TEST(Request, kernel_under_two_names_is_refused) {
  const std::string kernel = R"({"source_code":"s","kernel_type":"torch"})";
  for (const std::string_view second : {"custom_kernel", "candidate"}) {
    for (const std::string_view value : {std::string_view(kernel), std::string_view("5")}) {
      const auto errors = field_errors(
          RequestForm::job, fmt::format(R"({{"kernel":{},"{}":{}}})", kernel, second, value));
      ASSERT_EQ(errors.size(), 1U) << second;
      EXPECT_EQ(dotted_path(errors[0]), second);
    }
  }
  const auto errors =
      field_errors(RequestForm::job,
                   fmt::format(R"({{"kernel":{0},"reference":{0},"ref_kernel":{0}}})", kernel));
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(dotted_path(errors[0]), "ref_kernel");
  EXPECT_TRUE(
      decode_request(RequestForm::job, fmt::format(R"({{"kernel":{},"candidate":null}})", kernel)));
}

TEST(Request, job_form_takes_its_own_options) {
  const auto request = decode_request(
      RequestForm::job,
      compare_with(
          R"(,"rounds":5,"warmup":0,"seed":7,"device":"cpu","priority":3,"sanitize":["race"])"));
  EXPECT_EQ(request.value().rounds, 5);
  EXPECT_EQ(request.value().warmup, 0);
  EXPECT_EQ(request.value().seed, 7U);
  EXPECT_EQ(request.value().device, "cpu");
  EXPECT_TRUE(request.value().sanitize.race);
  EXPECT_FALSE(request.value().sanitize.memory);
  EXPECT_TRUE(request.value().candidate.instrumented);
  EXPECT_FALSE(request.value().reference->instrumented);
}

TEST(Request, sanitizers_leave_the_device_to_who_knows_which_there_are) {
  const auto any = decode_request(RequestForm::job, compare_with(R"(,"sanitize":["memory"])"));
  EXPECT_EQ(any.value().device, std::nullopt);
  const auto gpu =
      decode_request(RequestForm::job, compare_with(R"(,"sanitize":["memory"],"device":"cuda:0")"));
  EXPECT_EQ(gpu.value().device, "cuda:0");
}

TEST(Request, sanitizers_are_read_on_the_compatible_routes_too) {
  const auto request =
      decode_request(RequestForm::compare, compare_with(R"(,"sanitize":["memory"])"));
  EXPECT_TRUE(request.value().sanitize.memory);
  EXPECT_TRUE(request.value().candidate.instrumented);
  const auto legacy = decode_request(RequestForm::compare,
                                     R"({"ref_code":"r","custom_code":"c","sanitize":["race"]})");
  EXPECT_TRUE(legacy.value().sanitize.race);
  const auto errors =
      field_errors(RequestForm::evaluate,
                   R"({"kernel":{"source_code":"s","kernel_type":"torch"},"sanitize":["leaks"]})");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(dotted_path(errors[0]), "sanitize");
}

TEST(Request, tolerance_is_measured_unless_it_is_given_or_the_route_has_one) {
  const auto rule = [](RequestForm form, std::string_view more) {
    return decode_request(form, compare_with(more)).value().tolerance_rule;
  };
  EXPECT_EQ(rule(RequestForm::job, ""), ToleranceRule::measured);
  EXPECT_EQ(rule(RequestForm::job, R"(,"rtol":1e-3)"), ToleranceRule::request);
  EXPECT_EQ(rule(RequestForm::job, R"(,"atol":null)"), ToleranceRule::measured);
  EXPECT_EQ(rule(RequestForm::compare, ""), ToleranceRule::compatible);
  EXPECT_EQ(rule(RequestForm::compare, R"(,"atol":1e-3)"), ToleranceRule::request);
}

TEST(Request, inputs_keep_the_authors_range_on_the_compatible_routes) {
  EXPECT_TRUE(decode_request(RequestForm::compare, compare_with("")).value().keep_range);
  EXPECT_TRUE(decode_request(RequestForm::compare, R"({"ref_code":"a","custom_code":"b"})")
                  .value()
                  .keep_range);
  EXPECT_FALSE(decode_request(RequestForm::job, compare_with("")).value().keep_range);
}

TEST(Request, lower_precision_is_allowed_by_name_and_strictness_asked_for) {
  const auto request = decode_request(
      RequestForm::job, compare_with(R"(,"allow":["tf32","bfloat16"],"strict":true)"));
  EXPECT_TRUE(request.value().allow.tf32);
  EXPECT_TRUE(request.value().allow.bfloat16);
  EXPECT_FALSE(request.value().allow.float8);
  EXPECT_TRUE(request.value().strict);
  const auto errors = field_errors(RequestForm::job, compare_with(R"(,"allow":["int4"])"));
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(dotted_path(errors[0]), "allow");
}

TEST(Request, own_kernels_are_required_by_name) {
  const auto request =
      decode_request(RequestForm::job, compare_with(R"(,"require":["own_kernels"])"));
  EXPECT_TRUE(request.value().require.own_kernels);
  EXPECT_FALSE(decode_request(RequestForm::job, compare_with("")).value().require.own_kernels);
  const auto errors = field_errors(RequestForm::job, compare_with(R"(,"require":["speed"])"));
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(dotted_path(errors[0]), "require");
}

TEST(Request, artifacts_are_wanted_of_both_kernels) {
  const auto request =
      decode_request(RequestForm::job, compare_with(R"(,"artifacts":["sass"],"device":"cuda:0")"));
  EXPECT_TRUE(request.value().candidate.artifacts.sass);
  EXPECT_FALSE(request.value().candidate.artifacts.ptx);
  EXPECT_TRUE(request.value().reference->artifacts.sass);
  EXPECT_FALSE(
      decode_request(RequestForm::job, compare_with("")).value().candidate.artifacts.any());
}

TEST(Request, artifacts_that_cannot_be_are_refused) {
  for (const std::string& body :
       {compare_with(R"(,"artifacts":["elf"])"),
        compare_with(R"(,"artifacts":["ptx"],"device":"cpu")"),
        std::string(R"({"kernel":{"source_code":"def f(x): return x","kernel_type":"torch"},)"
                    R"("artifacts":["ptx"]})")}) {
    const auto errors = field_errors(RequestForm::job, body);
    ASSERT_EQ(errors.size(), 1U) << body;
    EXPECT_EQ(dotted_path(errors[0]), "artifacts");
  }
}

TEST(Request, seed_is_a_number_or_the_digits_that_provenance_shows) {
  const auto seed_of = [](std::string_view seed) {
    return decode_request(RequestForm::job, compare_with(R"(,"seed":)" + std::string(seed)))
        .value()
        .seed;
  };
  EXPECT_EQ(seed_of(R"("ffffffffffffffff")"), 0xFFFF'FFFF'FFFF'FFFFU);
  EXPECT_EQ(seed_of(R"("0000000000000012")"), 0x12U);  // not twelve
  EXPECT_EQ(seed_of(R"("12")"), 12U);
  EXPECT_EQ(seed_of("-1"), 0xFFFF'FFFF'FFFF'FFFFU);
  EXPECT_EQ(seed_of("18446744073709551615"), 0xFFFF'FFFF'FFFF'FFFFU);
  EXPECT_EQ(seed_of("null"), std::nullopt);
}

TEST(Request, seed_that_is_neither_is_refused) {
  for (const std::string_view seed : {R"("fffffffffffffffg")", R"("ff")", "1.5", "[]"}) {
    const auto errors =
        field_errors(RequestForm::job, compare_with(R"(,"seed":)" + std::string(seed)));
    ASSERT_EQ(errors.size(), 1U) << seed;
    EXPECT_EQ(dotted_path(errors[0]), "seed");
  }
}

TEST(Request, body_that_is_no_object_is_told_apart) {
  for (const std::string_view body : {"", "nope", "[1]", "3"}) {
    const auto request = decode_request(RequestForm::compare, body);
    ASSERT_FALSE(request) << body;
    EXPECT_TRUE(std::holds_alternative<NotAnObject>(request.error())) << body;
  }
}

TEST(Request, cuda_kernel_without_a_contract_is_refused) {
  const auto request = decode_request(RequestForm::evaluate,
                                      R"({"kernel":{"source_code":"s","kernel_type":"cuda"}})");
  ASSERT_FALSE(request);
  EXPECT_NE(std::get<OutOfBounds>(request.error()).message.find("io_contract"), std::string::npos);
}

TEST(Contract, scalars_keep_their_type) {
  const auto request = decode_request(RequestForm::evaluate, evaluate_with_args(R"(
      {"name":"a","type":"int","value":-3}, {"name":"b","type":"float","value":2.5},
      {"name":"c","type":"bool","value":true}, {"name":"d","type":"str","value":"s"})"));
  const auto& args = request.value().candidate.io->args;
  EXPECT_EQ(std::get<std::int64_t>(std::get<ScalarArg>(args[0].value)), -3);
  EXPECT_EQ(std::get<double>(std::get<ScalarArg>(args[1].value)), 2.5);
  EXPECT_EQ(std::get<bool>(std::get<ScalarArg>(args[2].value)), true);
  EXPECT_EQ(std::get<std::string>(std::get<ScalarArg>(args[3].value)), "s");
}

TEST(Contract, init_kinds_keep_explicit_zeros_and_lone_std) {
  const auto request = decode_request(RequestForm::evaluate, evaluate_with_args(R"(
      {"name":"a","type":"tensor","tensor_spec":{"shape":[2],"init":{"kind":"uniform","low":-1,"high":0}}},
      {"name":"b","type":"tensor","tensor_spec":{"shape":[2],"init":{"std":3,"seed":9}}},
      {"name":"c","type":"tensor","tensor_spec":{"shape":[2]}})"));
  const auto& args = request.value().candidate.io->args;
  const auto content = [&](std::size_t i) { return std::get<TensorArg>(args[i].value).content; };
  EXPECT_EQ(std::get<Uniform>(content(0)).high, 0.0);
  EXPECT_EQ(std::get<Randn>(content(1)).std, 3.0);
  EXPECT_EQ(std::get<Randn>(content(1)).seed, 9);
  EXPECT_TRUE(std::holds_alternative<Unspecified>(content(2)));
}

TEST(Contract, uniform_without_any_number_between_its_bounds_is_refused_at_the_bound_given) {
  const auto errors_of = [](std::string_view dtype, std::string_view bounds) {
    const std::string tensor = R"({"name":"a","type":"tensor","tensor_spec":{"dtype":")" +
                               std::string(dtype) + R"(","init":{"kind":"uniform",)" +
                               std::string(bounds) + "}}}";
    return field_errors(RequestForm::evaluate, evaluate_with_args(tensor));
  };
  EXPECT_TRUE(errors_of("float32", R"("low":1)").empty());
  EXPECT_TRUE(errors_of("int32", R"("low":2)").empty());  // up to 100
  EXPECT_TRUE(errors_of("bool", R"("low":2)").empty());   // 0 or 1 all the same
  struct Case {
    std::string_view dtype, bounds, field;
  };
  for (const auto& [dtype, bounds, field] :
       {Case{"float32", R"("low":2)", "low"}, Case{"bfloat16", R"("low":1.5)", "low"},
        Case{"int32", R"("low":101)", "low"}, Case{"float64", R"("high":-1)", "high"},
        Case{"uint8", R"("low":0.2,"high":0.8)", "low"}, Case{"float32", R"("low":"nan")", "low"},
        Case{"float32", R"("high":"inf")", "high"}}) {
    const auto errors = errors_of(dtype, bounds);
    ASSERT_EQ(errors.size(), 1U) << dtype << bounds;
    EXPECT_EQ(dotted_path(errors[0]), "kernel.io.args[0].tensor_spec.init." + std::string(field));
  }
}

TEST(Contract, literal_data_is_decoded_and_its_own_shape_wins) {
  const auto request = decode_request(RequestForm::evaluate, evaluate_with_args(R"(
      {"name":"a","type":"tensor","tensor_spec":{"shape":[99],"dtype":"int8","data":
        {"data_b64":"AQIDBA==","dtype":"bfloat16","shape":[2]}}})"));
  EXPECT_EQ(first_tensor(request.value()).dtype, DType::bfloat16);
  EXPECT_EQ(first_tensor(request.value()).shape, (Shape{2}));
  EXPECT_EQ(std::get<Literal>(first_tensor(request.value()).content).bytes, "\x01\x02\x03\x04");
}

TEST(Contract, literal_data_of_the_wrong_size_is_refused_at_its_field) {
  const auto errors = field_errors(RequestForm::evaluate, evaluate_with_args(R"(
      {"name":"a","type":"tensor","tensor_spec":{"data":{"data_b64":"AQIDBA==","shape":[2]}}})"));
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(dotted_path(errors[0]), "kernel.io.args[0].tensor_spec.data.data_b64");
}

TEST(Contract, every_wrong_argument_is_reported) {
  const auto errors = field_errors(RequestForm::evaluate, evaluate_with_args(R"(
      {"name":"a","type":"tensor","tensor_spec":{"dtype":"float33"}},
      {"name":"b","type":"tensor"}, {"name":"c","type":"matrix"},
      {"name":"d","type":"int"}, {"type":"int","value":1},
      {"name":"e","type":"tensor","role":"sideways","tensor_spec":{}},
      {"name":"f","type":"tensor","tensor_spec":{"shape":[-1]}},
      {"name":"g","type":"tensor","tensor_spec":{"init":{"kind":"magic"}}},
      {"name":"h","type":"tensor","tensor_spec":{"init":{"kind":"uniform","low":2,"high":1}}})"));
  ASSERT_EQ(errors.size(), 9U);
  EXPECT_EQ(dotted_path(errors[0]), "kernel.io.args[0].tensor_spec.dtype");
  EXPECT_EQ(dotted_path(errors[4]), "kernel.io.args[4].name");
  EXPECT_EQ(dotted_path(errors[7]), "kernel.io.args[7].tensor_spec.init.kind");
}

TEST(Contract, launch_limits_are_those_of_cuda) {
  const auto with_launch = [](std::string_view launch) {
    return R"({"kernel":{"source_code":"s","kernel_type":"cuda","io":{"args":[],"launch":)" +
           std::string(launch) + "}}}";
  };
  EXPECT_TRUE(decode_request(RequestForm::evaluate,
                             with_launch(R"({"block":{"x":1024},"shared_mem_bytes":1024})")));
  for (const std::string_view launch :
       {R"({"block":{"x":1024,"y":2}})", R"({"block":{"x":0}})", R"({"grid":{"y":65536}})",
        R"({"shared_mem_bytes":300000})", R"({"num_warps":64})"}) {
    EXPECT_EQ(field_errors(RequestForm::evaluate, with_launch(launch)).size(), 1U) << launch;
  }
}

TEST(Contract, source_begins_behind_its_byte_order_mark) {
  const auto request = decode_request(
      RequestForm::evaluate,
      R"({"kernel": {"kernel_type": "torch", "source_code": "\ufeffimport torch"}})");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->candidate.source, "import torch");
}

TEST(Contract, block_may_be_a_list_as_the_grid_may) {
  const auto with_block = [](std::string_view block) {
    return R"({"kernel":{"source_code":"s","kernel_type":"cuda","io":{"args":[],"launch":{"block":)" +
           std::string(block) + "}}}}";
  };
  const auto request = decode_request(RequestForm::job, with_block("[32, 8]"));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->candidate.io->launch.block, (Dim3{32, 8, 1}));
  for (const std::string_view block : {"[]", "[1, 1, 1, 1]", "[0]", "[2000]", "[1024, 2]", "256"}) {
    EXPECT_EQ(field_errors(RequestForm::job, with_block(block)).size(), 1U) << block;
  }
  EXPECT_EQ(field_errors(RequestForm::job, with_block("256")).front().message,
            "Input should be a list of one to three numbers, or an object with x, y and z");
}

std::string with_grid(std::string_view type, std::string_view grid) {
  return fmt::format(R"({{"kernel":{{"source_code":"s","kernel_type":"{}","io":{{"args":[],)"
                     R"("launch":{{"grid":{}}}}}}}}})",
                     type, grid);
}

TEST(Contract, grid_may_be_a_list_of_numbers) {
  for (const std::string_view type : {"cuda", "triton"}) {
    const auto request = decode_request(RequestForm::evaluate, with_grid(type, "[4, 2]"));
    ASSERT_TRUE(request) << type;
    EXPECT_EQ(request->candidate.io->launch.grid, (Dim3{4, 2, 1}));
    EXPECT_TRUE(request->candidate.io->launch.grid_expressions.empty());
  }
  for (const std::string_view grid : {"[0]", "[-3]", "[1.5]", "[1, 65536]", "[1, 1, 1, 1]", "[]",
                                      R"({"x": "nonsense", "w": 1})", "4"}) {
    const RequestForm form = RequestForm::job;  // strict
    EXPECT_EQ(field_errors(form, with_grid("triton", grid)).size(), 1U) << grid;
  }
}

TEST(Contract, grid_may_be_expressions_for_triton_alone) {
  using Expressions = std::vector<std::string>;
  const std::vector<std::pair<std::string, Expressions>> cases = {
      {R"j("cdiv(n, B)")j", {"cdiv(n, B)"}},
      {R"j(["cdiv(n, B)", 4])j", {"cdiv(n, B)", "4"}},
      {R"j({"x": "cdiv(n, B)", "z": 2})j", {"cdiv(n, B)", "1", "2"}}};
  for (const auto& [grid, expected] : cases) {
    const auto request = decode_request(RequestForm::evaluate, with_grid("triton", grid));
    ASSERT_TRUE(request) << grid;
    EXPECT_EQ(request->candidate.io->launch.grid_expressions, expected);
    const auto errors = field_errors(RequestForm::evaluate, with_grid("cuda", grid));
    ASSERT_EQ(errors.size(), 1U) << grid;
    EXPECT_EQ(dotted_path(errors[0]), "kernel.io.launch.grid");
  }
}

std::string with_shape(std::string_view shape) {
  return evaluate_with_args(
      fmt::format(R"({{"name":"a","type":"tensor","tensor_spec":{{"shape":[{}]}}}})", shape));
}

TEST(Contract, sizes_that_go_round_64_bits_are_refused) {
  // 2^24 * 2^40 is 0 of 64 bits, 4043312912 * 4562284561 is 16.
  for (const char* shape : {"16777216,1099511627776", "4043312912,4562284561",
                            "1099511627776,1099511627776,1099511627776"}) {
    const auto errors = field_errors(RequestForm::evaluate, with_shape(shape));
    ASSERT_EQ(errors.size(), 1U) << shape;
    EXPECT_EQ(errors[0].type, "too_large");
  }
  EXPECT_TRUE(decode_request(RequestForm::evaluate, with_shape("0,1099511627776,1099511627776")));
}

TEST(Contract, data_is_not_unpacked_to_more_than_a_request_may_hold) {
  // The stream is short and broken: it must not matter, because nothing is made room for.
  const auto errors = field_errors(
      RequestForm::evaluate,
      evaluate_with_args(R"({"name":"a","type":"tensor","tensor_spec":{"data":{"data_b64":"eJw=",
          "compress":"zlib","dtype":"int8","shape":[2147483648]}}})"));
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].type, "too_large") << errors[0].message;
}

TEST(Request, body_that_is_nested_deeply_is_refused_before_it_is_read) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  for (const auto form : {RequestForm::job, RequestForm::compare, RequestForm::evaluate}) {
    const auto request = decode_request(form, R"({"unknown":)" + deep + "}");
    ASSERT_FALSE(request);
    const auto* refusal = std::get_if<NotAnObject>(&request.error());
    ASSERT_NE(refusal, nullptr);
    EXPECT_NE(refusal->message.find("nested too deeply"), std::string::npos);
  }
}

TEST(Request, mistakes_without_end_are_told_in_part) {
  std::string many = "{";
  for (int i = 0; i < 1000; ++i) many += fmt::format(R"("field{}":1,)", i);
  many += R"("kernel":{"source_code":"s","kernel_type":"torch"}})";
  EXPECT_EQ(field_errors(RequestForm::job, many).size(), 100U);
}

TEST(Request, lists_have_an_end) {
  std::string ones = "1";
  for (int i = 0; i < 4096; ++i) ones += ",1";
  const auto errors = field_errors(RequestForm::evaluate, with_shape(ones));
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].type, "too_long");
}

TEST(Contract, tensors_that_would_not_fit_are_refused) {
  EXPECT_EQ(
      field_errors(
          RequestForm::evaluate,
          evaluate_with_args(
              R"({"name":"a","type":"tensor","tensor_spec":{"shape":[1000000000,1000000000]}})"))
          .size(),
      1U);
  EXPECT_EQ(field_errors(RequestForm::evaluate,
                         evaluate_with_args(fmt::format(
                             R"({{"name":"a","type":"tensor","tensor_spec":{{"shape":[{}]}}}})",
                             machine_memory() / sizeof(float) + 1)))
                .size(),
            1U);
}

TEST(Describe, tells_a_mistake_once_and_every_field_that_has_it) {
  const InvalidFields error{{{.path = {"candidate", "io", "lauch"}, .message = "no", .type = ""},
                             {.path = {"num_trials"}, .message = "many", .type = ""},
                             {.path = {"reference", "io", "lauch"}, .message = "no", .type = ""}}};
  EXPECT_EQ(describe(error), "candidate.io.lauch, reference.io.lauch: no; num_trials: many");
}

}  // namespace
}  // namespace assay::wire
