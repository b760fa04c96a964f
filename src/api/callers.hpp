#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "access/token.hpp"
#include "api/context.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "http/message.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"

namespace assay::api {

/// The answer to one who may not do what is asked: 401 without a token that is known, 403 with one
/// that does not allow it. Nothing where the server knows no tokens. Refusals are audited.
[[nodiscard]] std::optional<http::Response> refuse_stranger(Context& context,
                                                            const http::Request& request,
                                                            std::string_view peer);

/// Whose request it is; nothing where the server knows no tokens and everybody may do everything.
using Caller = std::optional<access::Token>;
[[nodiscard]] Caller caller_of(Context& context, const http::Request& request);

/// The owner whose jobs alone the caller may see; nothing where it may see all.
[[nodiscard]] std::optional<std::string> only_of(const Caller& caller);

/// Fails with `not_found` for a job that is not there or, which must look alike, not the caller's
/// to see.
[[nodiscard]] Result<void> check_may_see(Context& context, const Caller& caller, const JobId& id);
/// The same of a job at hand.
[[nodiscard]] bool may_see(const Caller& caller, const Job& job);
/// The same for who wants to change it: seeing every job is not having them.
[[nodiscard]] Result<void> check_may_change(Context& context, const Caller& caller,
                                            const JobId& id);
[[nodiscard]] Error no_such_job(const JobId& id);

/// Puts down who did what, where that is kept.
void note_deed(Context& context, const Caller& caller, const http::Request& request,
               std::string_view action, std::string_view what);

}  // namespace assay::api
