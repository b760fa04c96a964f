#pragma once

#include <span>

#include "base/embedded_file.hpp"

namespace assay::api {

/// The description of the API: openapi.json for programs, docs.html for people.
[[nodiscard]] std::span<const EmbeddedFile> embedded_documents();

}  // namespace assay::api
