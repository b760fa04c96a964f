#include "line_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <cxxabi.h>
#include <dlfcn.h>

#include "elf_file.hpp"
#include "line_program.hpp"

namespace assay::simt {
namespace {

struct Tables {
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, std::vector<LineRow>> by_object_and_file;
};

Tables& tables() {
  static auto* const all = new Tables;
  return *all;
}

const std::vector<LineRow>& rows_of(const char* object, const char* file) {
  Tables& all = tables();
  const std::lock_guard lock(all.mutex);
  const auto [found, fresh] = all.by_object_and_file.try_emplace({object, file});
  if (fresh) found->second = read_lines(ElfFile(object).section(".debug_line"), file);
  return found->second;
}

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return text != nullptr ? text.get() : name;
}

}  // namespace

std::uint32_t line_of(const void* address, const char* file) {
  Dl_info info;
  if (file == nullptr || dladdr(address, &info) == 0 || info.dli_fname == nullptr) return 0;
  const auto offset = static_cast<std::uint64_t>(static_cast<const char*>(address) -
                                                 static_cast<const char*>(info.dli_fbase));
  const auto& rows = rows_of(info.dli_fname, file);
  auto after = std::ranges::upper_bound(rows, offset, {}, &LineRow::address);
  // Code inlined from our headers stands after the start of the line that called it.
  while (after != rows.begin()) {
    --after;
    if (after->ends) return 0;
    if (after->in_file && after->line != 0) return after->line;
  }
  return 0;
}

std::string variable_at(const void* address, const char*& base, std::size_t& bytes) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  const auto* start = static_cast<const char*>(info.dli_fbase);
  const auto offset = static_cast<std::uint64_t>(static_cast<const char*>(address) - start);
  const ElfFile file(info.dli_fname);
  for (const Elf64_Sym& symbol : file.symbols()) {
    const bool is_variable = ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size > 0;
    if (!is_variable || offset < symbol.st_value || offset >= symbol.st_value + symbol.st_size) {
      continue;
    }
    base = start + symbol.st_value;
    bytes = symbol.st_size;
    return demangled(file.symbol_name(symbol));
  }
  return {};
}

}  // namespace assay::simt
