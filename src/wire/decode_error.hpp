#pragma once

#include <string>
#include <variant>
#include <vector>

namespace assay::wire {

/// One thing wrong with one field. `type` is a stable name for programs: `missing`, `enum`,
/// `extra_forbidden`, `int_parsing`, …
struct FieldError {
  std::vector<std::string> path;  // {"kernel", "io", "args", "0", "name"}
  std::string message;
  std::string type;
};

/// The path as the compatible API writes it: "kernel -> source_code".
[[nodiscard]] std::string arrow_path(const FieldError& error);
/// The path as ours writes it: "kernel.io.args[0].name".
[[nodiscard]] std::string dotted_path(const FieldError& error);

/// The body is no JSON, or not an object.
struct NotAnObject {
  std::string message;
};
struct InvalidFields {
  std::vector<FieldError> errors;  // never empty
};
/// Every field has the right type, but a value lies outside what the server does.
struct OutOfBounds {
  std::string message;
  std::string details;  // a JSON object with the offending value: {"num_trials":0}
  FieldError field;
};

using DecodeError = std::variant<NotAnObject, InvalidFields, OutOfBounds>;

/// One line for logs and for the command line.
[[nodiscard]] std::string describe(const DecodeError& error);

}  // namespace assay::wire
