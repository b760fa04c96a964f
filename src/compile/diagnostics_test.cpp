#include "compile/diagnostics.hpp"

#include <string>

#include <gtest/gtest.h>

namespace assay::compile {
namespace {

TEST(Diagnostics, our_own_paths_are_renamed_everywhere) {
  EXPECT_EQ(clean_diagnostics("/data/t/include/a.hpp:1: from /data/b/kernel.cu:2",
                              {{"/data/t/include/", "simt/"}, {"/data/b/", ""}}),
            "simt/a.hpp:1: from kernel.cu:2");
}

TEST(Diagnostics, what_the_linker_did_not_find_is_told_once) {
  EXPECT_EQ(undefined_references("/usr/bin/ld: /tmp/ccA.o: in function `f':\n"
                                 "kernel.cu:(.text+0x1): undefined reference to `b()'\n"
                                 "kernel.cu:(.text+0x5): undefined reference to `a(int)'\n"
                                 "kernel.cu:(.text+0x9): undefined reference to `b()'"),
            "error: undefined reference to `a(int)'\nerror: undefined reference to `b()'\n");
  EXPECT_EQ(undefined_references("all is well"), "");
}

TEST(Diagnostics, what_is_not_text_is_replaced_byte_by_byte) {
  EXPECT_EQ(clean_diagnostics("a\x1b[31mb\tc\n", {}), "a?[31mb\tc\n");
  EXPECT_EQ(clean_diagnostics("‘é😀’", {}), "‘é😀’");
  EXPECT_EQ(clean_diagnostics("\xff\xc0\x80\xe0\x80\x80\xed\xa0\x80\xf4\x90\x80\x80\xe2\x82", {}),
            std::string(15, '?'));
}

}  // namespace
}  // namespace assay::compile
