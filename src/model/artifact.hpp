#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace assay {

/// The texts of a compiled kernel that a request may ask for.
struct WantedArtifacts {
  bool ptx = false;
  bool sass = false;

  [[nodiscard]] bool any() const { return ptx || sass; }
};

/// Such a text, or why there is none.
struct Artifact {
  std::string name;                   // "ptx"; of an outcome's two kernels, "candidate.ptx"
  std::optional<std::string> absent;  // why there is none
  std::uint64_t bytes = 0;
  std::string text;  // from the build to the store, which has it under the job and the name
  std::filesystem::path file{};  // where a worker left it for the server, instead of the text
};

}  // namespace assay
