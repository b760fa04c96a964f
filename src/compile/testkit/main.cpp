#include <string_view>

#include <gtest/gtest.h>

#include "process/jail_init.hpp"

// A jail's init is this executable under another name.
int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == assay::process::kJailInitCommand) {
    return assay::process::jail_init_main(argc, argv);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
