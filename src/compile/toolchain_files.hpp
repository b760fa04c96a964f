#pragma once

#include <filesystem>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "compile/work_area.hpp"

namespace assay::compile {

/// Takes every file of a directory back from the jail's user and writes down its digest. This is
/// the last step before the directory is moved to where others find it.
[[nodiscard]] Result<void> seal_directory(const std::filesystem::path& directory);

/// Fails with `not_found` where there is no directory and `data_loss` where a file is not as it
/// was sealed.
[[nodiscard]] Result<void> verify_directory(const std::filesystem::path& directory);

/// Marks a sealed directory as in use now. Removes its siblings that nobody marked for a month:
/// they belong to compilers and versions of ours that are gone.
void keep_directory(const std::filesystem::path& directory, const WorkArea& work,
                    const Clock& clock);

}  // namespace assay::compile
