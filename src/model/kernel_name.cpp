#include "model/kernel_name.hpp"

#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace assay {
namespace {

bool opens(char c) {
  return c == '<' || c == '(' || c == '[' || c == '{';
}
bool closes(char c) {
  return c == '>' || c == ')' || c == ']' || c == '}';
}

/// `->` and comparison operators do not occur in the names of kernels; `operator()` does.
std::size_t parameters_at(std::string_view name) {
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (opens(name[i])) {
      const bool unnamed = name.substr(i).starts_with("(anonymous namespace)");
      const bool call = i >= 8 && name.substr(i - 8, 8) == "operator";
      if (depth == 0 && name[i] == '(' && i > 0 && !unnamed && !call) return i;
      ++depth;
    } else if (closes(name[i]) && depth > 0) {
      --depth;
    }
  }
  return name.size();
}

std::size_t template_arguments_at(std::string_view name) {
  const std::size_t at = name.find('<');
  if (at == std::string_view::npos) return name.size();
  // "<unnamed>" is a namespace, not arguments.
  if (!name.substr(at).starts_with("<unnamed>")) return at;
  const std::size_t next = name.find('<', at + 1);
  return next == std::string_view::npos ? name.size() : next;
}

/// Replacements that make the spellings of demanglers one.
struct Spelling {
  std::string_view from;
  std::string_view to;
};
constexpr auto kSpellings = std::to_array<Spelling>({
    {"(bool)0", "false"},
    {"(bool)1", "true"},
    {"(anonymous namespace)", "<unnamed>"},
    {"(int)", ""},
    {"(unsigned int)", ""},
    {"(long)", ""},
    {"(unsigned long)", ""},
    {"(unsigned long long)", ""},
    {" ()", "()"},
    {"'lambda", "{lambda"},
    {"[lambda", "{lambda"},
});

const Spelling* spelling_at(std::string_view rest) {
  for (const Spelling& spelling : kSpellings) {
    if (rest.starts_with(spelling.from)) return &spelling;
  }
  return nullptr;
}

std::string_view without_arguments(std::string_view demangled) {
  const std::string_view name = demangled.substr(0, parameters_at(demangled));
  return name.substr(0, template_arguments_at(name));
}

}  // namespace

std::string_view outer_namespace(std::string_view demangled) {
  std::string_view name = without_arguments(demangled);
  if (name.starts_with("void ")) name.remove_prefix(5);
  const std::size_t scope = name.find("::");
  if (scope == std::string_view::npos || !is_word(name.front())) return {};
  return name.substr(0, scope);
}

std::string_view short_kernel_name(std::string_view demangled) {
  // What is returned and the classes around it may have arguments of their own: only blanks and
  // colons outside of all brackets part the name.
  std::string_view name = demangled.substr(0, parameters_at(demangled));
  while (name.ends_with(' ')) name.remove_suffix(1);
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (opens(name[i])) ++depth;
    if (closes(name[i]) && depth > 0) --depth;
    if (depth == 0 && (name[i] == ' ' || name[i] == ':')) begin = i + 1;
  }
  name.remove_prefix(begin);
  name = name.substr(0, template_arguments_at(name));
  return name.empty() ? demangled : name;
}

std::string comparable_kernel_name(std::string_view demangled) {
  std::string_view rest = demangled.substr(0, parameters_at(demangled));
  if (rest.starts_with("void ")) rest.remove_prefix(5);
  std::string out;
  while (!rest.empty()) {
    if (const Spelling* spelling = spelling_at(rest)) {
      out += spelling->to;
      rest.remove_prefix(spelling->from.size());
      continue;
    }
    const char c = rest.front();
    rest.remove_prefix(1);
    // A blank tells words apart and nothing else; `4u` and `4ul` are 4.
    if (c == ' ' &&
        (out.empty() || rest.empty() || !is_word(out.back()) || !is_word(rest.front()))) {
      continue;
    }
    const bool suffix = (c == 'u' || c == 'l') && !out.empty() &&
                        std::isdigit(static_cast<unsigned char>(out.back())) != 0 &&
                        (rest.empty() || !is_word(rest.front()) || rest.front() == 'l');
    if (!suffix) out += c;
  }
  return out;
}

}  // namespace assay
