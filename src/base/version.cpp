#include "base/version.hpp"

#include <string_view>

namespace assay {

std::string_view version() {
  return ASSAY_VERSION;
}

}  // namespace assay
