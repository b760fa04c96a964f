#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace assay {

/// From the kernel's generator: fit for ids and for seeds that a submission must not guess.
[[nodiscard]] std::uint64_t random_u64();

[[nodiscard]] std::vector<std::byte> random_bytes(std::size_t count);

/// `digits` lower-case hexadecimal digits.
[[nodiscard]] std::string random_hex(std::size_t digits);

/// A version-4 UUID in its usual form.
[[nodiscard]] std::string random_uuid();

}  // namespace assay
