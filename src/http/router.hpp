#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message.hpp"
#include "http/responder.hpp"

namespace assay::http {

/// Makes the body of an error the server itself reports. `path` is empty where the request could
/// not be read that far. For 404 and 405 the message is the standard phrase.
using ErrorShape =
    std::function<Response(int status, std::string_view message, std::string_view path)>;

/// Looks at the head of a request before its body is read: an answer here refuses it. `peer` is
/// who sends it, as Request::peer will be.
using Guard = std::function<std::optional<Response>(const Request&, std::string_view peer)>;

/// Which handler answers which path. Filled before the server starts, then only read.
class Router {
 public:
  Router();

  /// `pattern` is "/v1/jobs/{id}": a `{name}` takes one non-empty segment. Where several patterns
  /// match, the one with fewer names wins. A GET also serves HEAD, its body left out.
  void add(Method method, std::string_view pattern, Handler handler);

  /// Without one, nothing is refused.
  void guard(Guard guard) { guard_ = std::move(guard); }
  [[nodiscard]] std::optional<Response> refusal_of(const Request& request,
                                                   std::string_view peer) const {
    return guard_ ? guard_(request, peer) : std::nullopt;
  }

  void shape_errors(ErrorShape shape) { shape_ = std::move(shape); }
  /// By default {"error": message}.
  [[nodiscard]] Response error_response(int status, std::string_view message,
                                        std::string_view path = {}) const;

  /// Calls the handler, or answers 404, or 405 with Allow.
  void route(Request request, Responder responder) const;

 private:
  using Params = std::map<std::string, std::string>;
  struct Route {
    Method method;
    std::vector<std::string> segments;
    Handler handler;
  };
  struct Match {
    const Route* route = nullptr;
    Params params;
  };

  [[nodiscard]] static std::optional<Params> match(const Route& route,
                                                   const std::vector<std::string_view>& segments);
  [[nodiscard]] Match find(Method method, const std::vector<std::string_view>& segments) const;
  [[nodiscard]] std::string allowed(const std::vector<std::string_view>& segments) const;

  std::vector<Route> routes_;
  ErrorShape shape_;
  Guard guard_;
};

}  // namespace assay::http
