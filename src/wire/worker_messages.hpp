#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/task.hpp"

namespace assay::wire {

// Messages between the server and its workers. Both are ours, so what does not read back is
// `data_loss`.

[[nodiscard]] std::string encode_order(const WorkerOrder& order);
[[nodiscard]] Result<WorkerOrder> decode_order(std::string_view text);

[[nodiscard]] std::string encode_event(const WorkerEvent& event);
[[nodiscard]] Result<WorkerEvent> decode_event(std::string_view text);

}  // namespace assay::wire
