#pragma once

#include <CLI/CLI.hpp>

#include "cli/engine.hpp"

namespace assay::cli {

/// The options that shape an Engine, each also settable by environment.
void add_engine_flags(CLI::App& command, EngineOptions& options);

}  // namespace assay::cli
