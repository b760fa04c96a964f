#include <string_view>

#include <gtest/gtest.h>

#include "process/jail_init.hpp"
#include "process/testkit/hostile.hpp"
#include "process/testkit/jail_fixture.hpp"

/// This executable is also the jail's init and the programs that are jailed.
int main(int argc, char** argv) {
  namespace process = assay::process;
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == process::kJailInitCommand) return process::jail_init_main(argc, argv);
  if (command == process::testkit::kHostileCommand)
    return process::testkit::hostile_main(argc, argv);
  if (command == process::testkit::kSpawnerCommand)
    return process::testkit::spawner_main(argc, argv);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
