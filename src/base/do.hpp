#pragma once

#include <expected>
#include <utility>

/// Returns the error of a Result<void> from this function, if it has one.
#define ASSAY_DO(expression)                               \
  if (auto assay_done = (expression); !assay_done) {       \
    return std::unexpected(std::move(assay_done).error()); \
  }
