#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

#include "process/jail_support.hpp"

namespace assay::compile {

/// What jails can be here, asked once for all tests.
inline const process::JailSupport& jails_for_tests() {
  static const process::JailSupport kSupport = process::probe_jail_support();
  return kSupport;
}

/// A program `directory`/bin/g++ that is this shell script, after answering who it is.
inline std::filesystem::path fake_compiler(const std::filesystem::path& directory,
                                           std::string_view script) {
  const std::filesystem::path path = directory / "bin" / "g++";
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << "#!/bin/sh\n"
                         "case \"$1\" in\n"
                         "  --version) echo 'fake g++ 1.2.3-4'; exit;;\n"
                         "  -dumpfullversion) echo 1.2.3; exit;;\n"
                         "  -dumpmachine) echo fake-linux; exit;;\n"
                         "esac\n"
                      << script << "\n";
  using std::filesystem::perms;  // the jail's user runs it
  std::filesystem::permissions(path, perms::owner_exec | perms::group_exec | perms::others_exec,
                               std::filesystem::perm_options::add);
  return path;
}

}  // namespace assay::compile
