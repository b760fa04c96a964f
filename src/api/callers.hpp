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

/// The answer to a caller who may not do what is asked. It is 401 without a known token, and 403
/// with a token that does not allow it. Nothing if the caller may, or if the server knows no
/// tokens. Refusals are audited.
[[nodiscard]] std::optional<http::Response> refuse_stranger(Context& context,
                                                            const http::Request& request,
                                                            std::string_view peer);

/// Whose request it is; nothing where the server knows no tokens and everybody may do everything.
/// A stranger is a token without scopes, and may do nothing.
using Caller = std::optional<access::Token>;
[[nodiscard]] Caller caller_of(Context& context, const http::Request& request);
[[nodiscard]] bool is_stranger(const Caller& caller);
/// What a stranger is told.
inline constexpr std::string_view kWantsToken =
    "this server wants a token: send 'Authorization: Bearer …', with one made by `assay token "
    "create`";

/// The owner whose jobs alone the caller may see; nothing where it may see all.
[[nodiscard]] std::optional<std::string> only_of(const Caller& caller);

/// Fails with `not_found` for a job that is not there. A job that the caller may not see must look
/// the same.
[[nodiscard]] Result<void> check_may_see(Context& context, const Caller& caller, const JobId& id);
/// The same of a job at hand.
[[nodiscard]] bool may_see(const Caller& caller, const Job& job);
/// The same for a caller who wants to change the job. Somebody who may see every job may not change
/// them all.
[[nodiscard]] Result<void> check_may_change(Context& context, const Caller& caller,
                                            const JobId& id);
[[nodiscard]] Error no_such_job(const JobId& id);

/// Notes in the audit log who did what, if there is one.
void note_deed(Context& context, const Caller& caller, const http::Request& request,
               std::string_view action, std::string_view what);

}  // namespace assay::api
