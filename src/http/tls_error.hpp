#pragma once

#include <array>
#include <string>

#include <openssl/err.h>

namespace assay::http {

/// What the TLS library says of its last failure in this thread.
inline std::string last_tls_error() {
  const unsigned long code = ::ERR_get_error();
  if (code == 0) return "no reason given";
  if (const char* reason = ::ERR_reason_error_string(code)) return reason;
  std::array<char, 256> text{};
  ::ERR_error_string_n(code, text.data(), text.size());
  return text.data();
}

}  // namespace assay::http
