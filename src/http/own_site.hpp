#pragma once

#include <optional>
#include <string>
#include <vector>

#include "http/message.hpp"
#include "http/parser.hpp"

namespace assay::http {

/// What the server is known as to those who may use it.
struct OwnSite {
  /// Names in `Host` that are ours, without ports. Addresses and "localhost" always are: no other
  /// site's name leads to them. "*" takes every name.
  std::vector<std::string> hosts;
  /// Origins of web pages that may use it beside its own pages: "https://example.org".
  std::vector<std::string> origins;
};

/// Refuses what a web page of another site can make a visitor's browser send. A `Host` that is not
/// ours gets 403, because its DNS may lead here. A foreign `Origin` gets 403. A change whose
/// content type is not JSON gets 415, because forms and scripts may send it anywhere. A change
/// without a body needs no content type unless it comes from a browser. Looks at the head alone.
[[nodiscard]] std::optional<Refusal> refuse_foreign(const Request& request, const OwnSite& site);

}  // namespace assay::http
