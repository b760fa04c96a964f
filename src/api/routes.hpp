#pragma once

#include "api/context.hpp"
#include "api/desk.hpp"
#include "api/waiting_room.hpp"
#include "http/router.hpp"

namespace assay::api {

/// All routes. Lives as long as the server that uses its router.
class Api {
 public:
  explicit Api(Context context);

  [[nodiscard]] http::Router router();
  /// Answers the clients that still wait for jobs; for when the server stops.
  void answer_waiting() { waiting_.close(); }

 private:
  Context context_;
  WaitingRoom waiting_;
  Desk desk_;  // last: what it does uses all above
};

// Each adds the routes of one file to the router.
void add_compat_routes(http::Router& router, Context& context, WaitingRoom& waiting, Desk& desk);
void add_job_routes(http::Router& router, Context& context, Desk& desk);
void add_status_routes(http::Router& router, Context& context);
void add_document_routes(http::Router& router);

}  // namespace assay::api
