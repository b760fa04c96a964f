#include <string_view>

#include <gtest/gtest.h>

#include "process/jail_init.hpp"
#include "process/testkit/hostile.hpp"
#include "process/testkit/jail_fixture.hpp"

/// This executable is also the jail's init and the programs that are jailed.
int main(int argc, char** argv) {
  using namespace assay::process;
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == kJailInitCommand) return jail_init_main(argc, argv);
  if (command == testkit::kHostileCommand) return testkit::hostile_main(argc, argv);
  if (command == testkit::kSpawnerCommand) return testkit::spawner_main(argc, argv);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
