#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace assay::cli {

/// While it lives, new options of a command stand under this heading in its help.
class Heading {
 public:
  Heading(CLI::App& command, const std::string& name)
      : command_(command), before_(command.option_defaults()->get_group()) {
    command_.option_defaults()->group(name);
  }
  ~Heading() { command_.option_defaults()->group(before_); }
  Heading(const Heading&) = delete;
  Heading& operator=(const Heading&) = delete;
  Heading(Heading&&) = delete;
  Heading& operator=(Heading&&) = delete;

 private:
  CLI::App& command_;
  std::string before_;
};

}  // namespace assay::cli
