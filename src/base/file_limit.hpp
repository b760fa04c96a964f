#pragma once

#include <cstddef>

namespace assay {

/// Lets this process have more open files, as far as it may. Says how many.
[[nodiscard]] std::size_t raise_file_limit();

}  // namespace assay
