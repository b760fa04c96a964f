#include "simt/inline_ptx.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "simt/edits.hpp"
#include "simt/lexer.hpp"
#include "simt/ptx_instructions.hpp"

namespace assay::simt {
namespace {

std::string rewritten(std::string_view source) {
  Edits edits;
  rewrite_inline_ptx(source, lex(source), edits);
  return edits.apply(source);
}

std::string unknown(std::string_view source) {
  const auto statement = read_asm(source, lex(source), 0);
  return statement ? unknown_ptx(*statement) : "not read";
}

TEST(InlinePtx, becomes_a_call_between_the_operands) {
  EXPECT_EQ(rewritten("asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(2 * x));"),
            "do { namespace assay_ptx = ::assay::simt::ptx; assay_ptx::f32 assay_p0{}; "
            "const auto assay_p1 = assay_ptx::as<assay_ptx::f32>(2 * x); "
            "{ assay_ptx::set(assay_p0, assay_ptx::ex2<assay_ptx::f32>(assay_p1)); }"
            "assay_ptx::set((y), assay_p0); } while (false);");
}

TEST(InlinePtx, of_several_lines_keeps_the_number_of_each_line) {
  const std::string text = rewritten(
      "asm volatile(\n\"{ .reg .pred p;\\n\"\n\" setp.ne.b32 p, %0, 0;\\n\"\n"
      "\" @p st.global.f32 [%1+4], %2; }\\n\"\n:: \"r\"(c), \"l\"(to), \"f\"(x)\n: \"memory\");");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
  EXPECT_NE(text.find("if (assay_r_p) { assay_ptx::store<assay_ptx::f32>(assay_ptx::global("
                      "assay_p1, 4), assay_p2); }"),
            std::string::npos);
}

TEST(InlinePtx, that_only_orders_memory_is_left_alone) {
  EXPECT_EQ(rewritten("asm volatile(\"\" ::: \"memory\");"), "asm volatile(\"\" ::: \"memory\");");
}

TEST(InlinePtx, that_is_not_known_is_named_and_left_alone) {
  const std::string_view source =
      "asm(\"add.u32 %0, %0, 1; wgmma.fence.sync.aligned;\" : \"+r\"(x));";
  EXPECT_EQ(unknown(source), "wgmma.fence.sync.aligned");
  EXPECT_EQ(rewritten(source), source);
  EXPECT_EQ(unknown("asm(\"@p bra there;\");"), "bra");
  EXPECT_EQ(unknown("asm(\"mov.b128 %0, %1;\" : \"=q\"(x) : \"l\"(y));"), "\"=q\"");
  EXPECT_EQ(unknown("asm(\"add.rz.f32 %0, %1, %2;\" : \"=f\"(x) : \"f\"(y), \"f\"(z));"),
            "add.rz.f32");
  EXPECT_EQ(unknown("asm(\"bar.sync 1, 64;\");"), "bar.sync");
}

TEST(InlinePtx, with_braces_that_do_not_match_is_left_alone) {
  for (const std::string_view source :
       {"asm(\"}\");", "asm(\"{ add.u32 %0, %0, 1;\" : \"+r\"(x));"}) {
    EXPECT_EQ(unknown(source), "a brace too many");
    EXPECT_EQ(rewritten(source), source);
  }
  EXPECT_EQ(unknown("asm(\"@p\");"), "@p");
  EXPECT_EQ(unknown("asm(\"@p add.u32 %0, %0, 1;\" : \"+r\"(x));"), "add.u32");
}

TEST(InlinePtx, whose_text_is_no_literal_is_not_read) {
  EXPECT_EQ(unknown("asm(TEXT);"), "not read");
  EXPECT_EQ(unknown("asm(\"a\" #b);"), "not read");
  EXPECT_EQ(unknown("asm(\"never closed\""), "not read");
}

TEST(PtxInstructions, open_braces_around_registers_and_keep_immediates) {
  EXPECT_EQ(translate_ptx("mov.b64 {%0, %1}, %2;").statements,
            "{ assay_ptx::unpack(assay_p2, assay_p0, assay_p1); }");
  EXPECT_EQ(translate_ptx("fma.rn.f32 %0, %1, 0f3F800000, -2.5; // twice").statements,
            "{ assay_ptx::set(assay_p0, assay_ptx::fma<assay_ptx::f32>(assay_p1, 0x3F800000U, "
            "-2.5)); }");
}

}  // namespace
}  // namespace assay::simt
