#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include <gtest/gtest.h>

#include "compile/nvrtc_program.hpp"
#include "process/jail_init.hpp"

// A jail's init and NVRTC's compiler are this executable under other names.
int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == assay::process::kJailInitCommand) {
    return assay::process::jail_init_main(argc, argv);
  }
  if (argc > 1 && std::string_view(argv[1]) == assay::compile::kNvrtcCommand) {
    const int code = assay::compile::nvrtc_compile_main(
        std::span(argv, static_cast<std::size_t>(argc)).subspan(2));
    std::fflush(nullptr);
    std::_Exit(code);  // looking for leaks takes ptrace, which a jail does not have
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
