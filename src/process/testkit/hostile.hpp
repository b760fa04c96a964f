#pragma once

#include <string_view>

namespace assay::process::testkit {

/// The first argument that leads the test executable to hostile_main.
inline constexpr std::string_view kHostileCommand = "hostile";

/// A program that misbehaves as its argument says. Prints what the system answered.
int hostile_main(int argc, char** argv);

}  // namespace assay::process::testkit
