#pragma once

#include <string>
#include <string_view>

namespace assay::trace {

/// The identifier of a section ("SpeedOfLight") from the name that the details page shows. An
/// unknown name is given back as it is.
[[nodiscard]] std::string_view section_id_of(std::string_view display_name);

/// The metric behind a label of the details page, which shows labels alone. One label can stand
/// for different metrics in different sections ("Memory Throughput"). Empty where it is not
/// known, or where versions of the tool disagree on it and the unit does not tell.
[[nodiscard]] std::string_view metric_of_label(std::string_view section_id, std::string_view label,
                                               std::string_view base_unit);

}  // namespace assay::trace
