#include "compile/build_cache.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <sys/stat.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/disk_budget.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "compile/build_record.hpp"
#include "compile/record.hpp"
#include "compile/work_area.hpp"
#include "model/artifact.hpp"
#include "model/kernel_resources.hpp"
#include "model/verdict.hpp"

namespace assay::compile {
namespace {

constexpr std::string_view kModule = "module.so";
constexpr std::string_view kRecord = "record";       // its modification time is the last use
constexpr std::string_view kArtifact = "artifact:";  // and its name; the value is its text
constexpr std::string_view kAbsent = "absent:";      // the same; the value says why

/// What an entry costs on disk, its directory included.
std::uint64_t size_of(const std::filesystem::path& entry) {
  std::uint64_t total = size_on_disk(1);
  std::error_code ignored;
  for (const auto& file : std::filesystem::directory_iterator(entry, ignored)) {
    const std::uintmax_t size = file.file_size(ignored);
    if (!ignored) total += size_on_disk(size);
  }
  return total;
}

std::vector<DiskEntry> entries_under(const std::filesystem::path& directory) {
  std::vector<DiskEntry> entries;
  std::error_code ignored;
  for (const auto& item : std::filesystem::directory_iterator(directory, ignored)) {
    entries.push_back({item.path(), last_use(item.path() / kRecord), size_of(item.path())});
  }
  return entries;
}

Result<RecordFields> fields_for(const BuildRecord& record, std::string_view module_digest) {
  if (const auto* compiled = std::get_if<CompiledKernel>(&record)) {
    RecordFields fields = {{"outcome", "built"},
                           {"entry", compiled->entry},
                           {"compiler", compiled->compiler},
                           {"log", compiled->log},
                           {"module", std::string(module_digest)}};
    if (const auto& spills = compiled->spills) {
      fields.emplace_back("spill_stores", std::to_string(spills->store_bytes));
      fields.emplace_back("spill_loads", std::to_string(spills->load_bytes));
    }
    for (const Artifact& artifact : compiled->artifacts) {
      fields.emplace_back(std::string(artifact.absent ? kAbsent : kArtifact) + artifact.name,
                          artifact.absent.value_or(artifact.text));
    }
    return fields;
  }
  const Verdict& verdict = std::get<Verdict>(record);
  if (const auto* failure = std::get_if<DidNotCompile>(&verdict)) {
    return RecordFields{{"outcome", "did_not_compile"}, {"log", failure->log}};
  }
  if (const auto* missing = std::get_if<Unsupported>(&verdict)) {
    RecordFields fields = {{"outcome", "unsupported"}, {"reason", missing->reason}};
    if (missing->line) fields.emplace_back("line", std::to_string(*missing->line));
    return fields;
  }
  return fail(ErrorCode::invalid_argument,
              "a verdict of " + std::string(name_of(verdict)) + " does not last");
}

std::optional<RegisterSpills> spills_from(const RecordFields& fields) {
  const std::string stores(field_of(fields, "spill_stores"));
  const std::string loads(field_of(fields, "spill_loads"));
  if (stores.empty() || loads.empty()) return std::nullopt;
  return RegisterSpills{.store_bytes = std::atoi(stores.c_str()),
                        .load_bytes = std::atoi(loads.c_str())};
}

std::vector<Artifact> artifacts_from(const RecordFields& fields) {
  std::vector<Artifact> artifacts;
  for (const auto& [name, value] : fields) {
    if (name.starts_with(kArtifact)) {
      artifacts.push_back(
          {.name = name.substr(kArtifact.size()), .bytes = value.size(), .text = value});
    } else if (name.starts_with(kAbsent)) {
      artifacts.push_back({.name = name.substr(kAbsent.size()), .absent = value});
    }
  }
  return artifacts;
}

Result<BuildRecord> record_from(const RecordFields& fields, const std::filesystem::path& entry) {
  const std::string_view outcome = field_of(fields, "outcome");
  if (outcome == "did_not_compile") {
    return Verdict(DidNotCompile{.log = std::string(field_of(fields, "log"))});
  }
  if (outcome == "unsupported") {
    Unsupported missing{.reason = std::string(field_of(fields, "reason"))};
    const std::string line(field_of(fields, "line"));
    if (!line.empty()) missing.line = std::atoi(line.c_str());
    return Verdict(std::move(missing));
  }
  if (outcome != "built") return fail(ErrorCode::data_loss, "an unknown kind of build record");
  ASSAY_TRY(const std::string module, read_file(entry / kModule));
  if (sha256(module).hex() != field_of(fields, "module")) {
    return fail(ErrorCode::data_loss, "a cached module fails its digest");
  }
  return CompiledKernel{.module = entry / kModule,
                        .entry = std::string(field_of(fields, "entry")),
                        .compiler = std::string(field_of(fields, "compiler")),
                        .log = std::string(field_of(fields, "log")),
                        .spills = spills_from(fields),
                        .artifacts = artifacts_from(fields)};
}

Result<BuildRecord> read_entry(const std::filesystem::path& entry) {
  ASSAY_TRY(const std::string text, read_file(entry / kRecord));
  ASSAY_TRY(const RecordFields fields, decode_record(text));
  return record_from(fields, entry);
}

}  // namespace

BuildCache::BuildCache(std::filesystem::path directory, DiskLimits limits, const WorkArea& work,
                       const Clock& clock)
    : directory_(std::move(directory)),
      work_(work),
      clock_(clock),
      budget_(
          limits, clock, [this] { return entries_under(directory_); },
          [this](const std::filesystem::path& entry) { work_.discard(entry); }) {
  budget_.added(0);
}

Result<std::unique_ptr<BuildCache>> BuildCache::open(std::filesystem::path directory,
                                                     DiskLimits limits, const WorkArea& work,
                                                     const Clock& clock) {
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  if (failure) {
    return fail(ErrorCode::internal, "create " + directory.string() + ": " + failure.message());
  }
  return std::unique_ptr<BuildCache>(new BuildCache(std::move(directory), limits, work, clock));
}

std::filesystem::path BuildCache::path_of(const Digest& key) const {
  return directory_ / key.hex();
}

std::optional<BuildRecord> BuildCache::find(const Digest& key) {
  const std::filesystem::path entry = path_of(key);
  auto record = read_entry(entry);
  if (record) {
    mark_used(entry / kRecord, clock_);
    return std::move(*record);
  }
  if (record.error().code() != ErrorCode::not_found || std::filesystem::exists(entry)) {
    work_.discard(entry);
  }
  return std::nullopt;
}

Result<BuildRecord> BuildCache::store(const Digest& key, BuildRecord record) {
  ASSAY_TRY(const TempDir staged, work_.make_directory("entry-"));
  std::string digest;
  if (const auto* compiled = std::get_if<CompiledKernel>(&record)) {
    ASSAY_TRY(const std::string module, read_file(compiled->module));
    digest = sha256(module).hex();
    if (::rename(compiled->module.c_str(), (staged.path() / kModule).c_str()) != 0) {
      return std::unexpected(errno_error("move " + compiled->module.string()));
    }
  }
  ASSAY_TRY(const RecordFields fields, fields_for(record, digest));
  if (auto written = write_file_atomically(staged.path() / kRecord, encode_record(fields));
      !written) {
    return std::unexpected(std::move(written).error());
  }
  mark_used(staged.path() / kRecord, clock_);
  const std::uint64_t size = size_of(staged.path());
  const std::filesystem::path entry = path_of(key);
  if (auto moved = put(staged.path(), entry); !moved) {
    return std::unexpected(std::move(moved).error());
  }
  if (auto* compiled = std::get_if<CompiledKernel>(&record)) compiled->module = entry / kModule;
  budget_.added(size);
  return record;
}

Result<void> BuildCache::put(const std::filesystem::path& staged,
                             const std::filesystem::path& entry) const {
  if (::chmod(staged.c_str(), 0755) != 0) {  // a runner of another user loads from here
    return std::unexpected(errno_error("open up " + staged.string()));
  }
  if (::rename(staged.c_str(), entry.c_str()) == 0) return {};
  if (read_entry(entry)) return {};  // another process was first with the same build
  work_.discard(entry);
  if (::rename(staged.c_str(), entry.c_str()) == 0) return {};
  return std::unexpected(errno_error("move a build to " + entry.string()));
}

}  // namespace assay::compile
