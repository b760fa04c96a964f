#include "api/routes.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "api/answers.hpp"
#include "api/callers.hpp"
#include "api/context.hpp"
#include "http/message.hpp"
#include "http/own_site.hpp"
#include "http/router.hpp"

namespace assay::api {

Api::Api(Context context) : context_(std::move(context)), waiting_(context_), desk_(context_.log) {}

http::Router Api::router() {
  http::Router router;
  router.shape_errors(shaped_error);
  router.guard([this](const http::Request& request, std::string_view peer) {
    const auto refusal = http::refuse_foreign(request, context_.site);
    if (!refusal) return refuse_stranger(context_, request, peer);
    return std::optional(shaped_error(refusal->status, refusal->message, request.path));
  });
  add_compat_routes(router, context_, waiting_, desk_);
  add_job_routes(router, context_, desk_);
  add_status_routes(router, context_);
  add_document_routes(router);
  return router;
}

}  // namespace assay::api
