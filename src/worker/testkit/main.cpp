#include <string_view>

#include <gtest/gtest.h>

#include "process/jail_init.hpp"

/// This executable is also the jail's init.
int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == assay::process::kJailInitCommand)
    return assay::process::jail_init_main(argc, argv);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
