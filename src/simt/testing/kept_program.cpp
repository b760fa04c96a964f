#include "simt/testing/kept_program.hpp"

#include <cstddef>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "base/digest.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "simt/testing/local_builder.hpp"
#include "simt/toolchain.hpp"
#include "simt/translate.hpp"

namespace assay::simt::testing {
namespace {

namespace fs = std::filesystem;

/// The file and all that it includes in quotes, whether or not a condition leaves them out.
Result<void> hash_with_includes(const fs::path& file, Hasher& hasher, std::set<fs::path>& seen) {
  if (!seen.insert(file).second) return {};
  ASSAY_TRY(const std::string text, read_file(file));
  hasher.field(text);
  constexpr std::string_view kInclude = "#include \"";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kInclude)) continue;
    const std::string name = line.substr(kInclude.size(), line.rfind('"') - kInclude.size());
    const fs::path included = (file.parent_path() / name).lexically_normal();
    if (auto hashed = hash_with_includes(included, hasher, seen); !hashed) return hashed;
  }
  return {};
}

}  // namespace

Result<BuildResult> kept_program(const Toolchain& toolchain, const fs::path& source,
                                 Variant variant) {
  const fs::path file = fs::absolute(source).lexically_normal();
  ASSAY_TRY(const std::string text, read_file(file));
  TranslateOptions options;
  options.file_name = file.filename().string();  // no folder: another checkout builds the same
  options.module = false;
  ASSAY_TRY(const Translation translation, translate(text, options));

  Hasher hasher;
  hasher.field(translation.source).field(variant == Variant::plain ? "plain" : "instrumented");
  std::set<fs::path> seen;
  if (auto hashed = hash_with_includes(file, hasher, seen); !hashed) {
    return std::unexpected(std::move(hashed).error());
  }
  const fs::path folder = toolchain.directory / "programs";
  const fs::path kept = folder / hasher.finish().hex();
  if (fs::exists(kept))
    return BuildResult{.file = kept, .compiled = true, .log = {}, .raw_log = {}};

  std::error_code error;
  fs::create_directories(folder, error);
  ASSAY_TRY(const auto scratch, TempDir::create(folder, "new-"));
  ASSAY_TRY(BuildResult built, build(toolchain, text, options, variant, scratch.path(),
                                     {"-iquote", file.parent_path().string()}));
  if (!built.compiled) return built;
  fs::rename(built.file, kept, error);
  if (error) return std::unexpected(errno_error("keep " + kept.string()));
  built.file = kept;
  return built;
}

}  // namespace assay::simt::testing
