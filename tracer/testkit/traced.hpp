#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace assay::tracer {

/// The library as it was built.
[[nodiscard]] std::filesystem::path library_path();
/// Where the fake GPU's libraries are: LD_LIBRARY_PATH has to name it.
[[nodiscard]] std::filesystem::path fake_gpu_folder();
/// A program that does what a script says (traced_program.cpp).
[[nodiscard]] std::filesystem::path program_path();

/// Runs that program with the script's lines under the tracer, as the driver and NVTX load it. It
/// leaves its files in the folder. Gives the status as waitpid gives it.
int run_traced(const std::filesystem::path& folder, const std::string& script,
               const std::map<std::string, std::string>& environment = {});

/// The folder's files with this end, in order.
[[nodiscard]] std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                                          const std::string& end);

}  // namespace assay::tracer
