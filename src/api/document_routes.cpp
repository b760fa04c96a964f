#include <string>
#include <string_view>
#include <utility>

#include "api/embedded_documents.hpp"
#include "api/routes.hpp"
#include "base/embedded_file.hpp"
#include "http/message.hpp"
#include "http/responder.hpp"
#include "http/router.hpp"

namespace assay::api {
namespace {

std::string document(std::string_view name) {
  for (const EmbeddedFile& file : embedded_documents()) {
    if (file.path == name) return std::string(file.content);
  }
  std::unreachable();  // the names are those of CMakeLists.txt
}

}  // namespace

void add_document_routes(http::Router& router) {
  const auto page = [](std::string_view name) {
    return [name](const http::Request&, http::Responder responder) {
      http::Response response = http::Response::html(200, document(name));
      // No page of another site may show it inside itself.
      response.headers.set("Content-Security-Policy", "frame-ancestors 'none'");
      responder.send(std::move(response));
    };
  };
  router.add(http::Method::get, "/openapi.json",
             [](const http::Request&, http::Responder responder) {
               responder.send(http::Response::json(200, document("openapi.json")));
             });
  router.add(http::Method::get, "/", page("home.html"));
  router.add(http::Method::get, "/docs", page("docs.html"));
}

}  // namespace assay::api
