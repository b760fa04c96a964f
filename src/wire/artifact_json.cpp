#include "model/artifact.hpp"
#include "wire/fields.hpp"
#include "wire/outcome_json.hpp"

namespace assay::wire {

Json artifact_json(const Artifact& artifact) {
  Json json = {{"name", artifact.name}};
  if (artifact.absent) {
    json["absent"] = *artifact.absent;
  } else {
    json["bytes"] = artifact.bytes;
    if (!artifact.file.empty()) json["file"] = artifact.file.string();
  }
  return json;
}

Artifact read_artifact(const Json& json) {
  Artifact artifact{.name = json.at("name")};
  if (json.contains("absent")) {
    artifact.absent = json.at("absent");
  } else {
    artifact.bytes = json.at("bytes");
    artifact.file = json.value("file", "");
  }
  return artifact;
}

}  // namespace assay::wire
