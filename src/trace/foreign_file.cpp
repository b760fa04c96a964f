#include "trace/foreign_file.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace assay::trace {
namespace {

using namespace std::string_view_literals;

/// A kind of file that begins with the same bytes each time.
struct Magic {
  std::string_view bytes;
  std::string_view what;
};

constexpr auto kMagic = std::to_array<Magic>({
    {"\x1f\x8b"sv, "packed by gzip twice: unpack it with `gzip -d` first"},
    {"\x28\xb5\x2f\xfd"sv, "packed by zstd: unpack it with `zstd -d` first"},
    {"\xfd"
     "7zXZ"sv,
     "packed by xz: unpack it with `xz -d` first"},
    {"BZh"sv, "packed by bzip2: unpack it with `bzip2 -d` first"},
    {"PK\x03\x04"sv, "a zip archive: unpack it and give one of the files in it"},
    {"\x7f"
     "ELF"sv,
     "a program or a library, not a profile of one"},
    {"\x89PNG"sv, "a picture"},
    {"\xff\xd8\xff"sv, "a picture"},
    {"%PDF"sv, "a PDF document"},
    {"\x89HDF"sv, "an HDF5 file: export the report with `nsys export --type sqlite`"},
    {"PAR1"sv, "a Parquet file: export the report with `nsys export --type sqlite`"},
    {"ARROW1"sv, "an Arrow file: export the report with `nsys export --type sqlite`"},
    {"\x80\x02"sv, "a Python pickle, such as a memory snapshot: it holds no timeline"},
    {"\x80\x04"sv, "a Python pickle, such as a memory snapshot: it holds no timeline"},
    {"\x80\x05"sv, "a Python pickle, such as a memory snapshot: it holds no timeline"},
});

/// Text that holds all of these is what a tool printed for people.
struct Printed {
  std::array<std::string_view, 2> marks;
  std::string_view what;
};

constexpr auto kPrinted = std::to_array<Printed>({
    {{"Section: ", "Metric Name"},
     "the text that ncu prints for people: run ncu with `--export FILE`, or with `--csv --page "
     "raw`, and give that"},
    {{"==PROF==", ""},
     "the output of a program under ncu, without a report in it: run ncu with `--export FILE`, or "
     "with `--csv --page raw`, and give that"},
    {{"==ERROR==", ""}, "the output of an ncu that failed: read it, it says why"},
    {{"Time (%)", "-----"},
     "the text that `nsys stats` prints for people: give the profile itself, or print it with "
     "`--format csv`"},
    {{"Self CUDA", "# of Calls"},
     "a table that the PyTorch profiler prints: give the trace that export_chrome_trace writes"},
    {{"Self CPU", "# of Calls"},
     "a table that the PyTorch profiler prints: give the trace that export_chrome_trace writes"},
    {{"<!doctype html", ""}, "a web page"},
    {{"<html", ""}, "a web page"},
});

constexpr std::size_t kTarMark = 257;  // where a tar archive names itself

}  // namespace

std::optional<std::string> name_foreign(std::string_view beginning) {
  for (const Magic& magic : kMagic) {
    if (beginning.starts_with(magic.bytes)) return std::string(magic.what);
  }
  if (beginning.size() > kTarMark && beginning.substr(kTarMark).starts_with("ustar")) {
    return "a tar archive: unpack it and give one of the files in it";
  }
  for (const Printed& printed : kPrinted) {
    const bool all = beginning.find(printed.marks[0]) != std::string_view::npos &&
                     beginning.find(printed.marks[1]) != std::string_view::npos;
    if (all) return std::string(printed.what);
  }
  return std::nullopt;
}

}  // namespace assay::trace
