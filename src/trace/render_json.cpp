#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/diagnostics.hpp"
#include "trace/json_writer.hpp"
#include "trace/render.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// Two tables of one name would make one of them unreachable: the second becomes `name_2`.
class UniqueKeys {
 public:
  std::string next(const std::string& name) {
    const int seen = ++count_[name];
    return seen == 1 ? name : fmt::format("{}_{}", name, seen);
  }

 private:
  std::map<std::string, int> count_;
};

void write_facts(JsonWriter& json, const std::vector<Fact>& facts, bool on_lines) {
  json.begin_object();
  UniqueKeys keys;
  for (const Fact& fact : facts) {
    if (on_lines) json.new_line();
    json.key(keys.next(fact.name)).cell(fact.value);
  }
  if (on_lines) json.new_line();
  json.end_object();
}

void write_findings(JsonWriter& json, const std::vector<Finding>& findings) {
  json.begin_array();
  for (const Finding& finding : findings) {
    json.new_line().begin_object();
    json.key("kind").string(to_string(finding.kind));
    json.key("name").string(finding.name);
    json.key("title").string(finding.title);
    json.key("subject").cell(finding.subject.empty() ? Cell() : Cell(finding.subject));
    json.key("message").string(finding.message);
    json.key("evidence");
    write_facts(json, finding.evidence, false);
    json.end_object();
  }
  json.new_line().end_array();
}

void write_columns(JsonWriter& json, const std::vector<Column>& columns) {
  json.begin_array();
  for (const Column& column : columns) {
    json.new_line().begin_object();
    json.key("name").string(column.name);
    json.key("heading").string(column.heading);
    json.key("type").string(to_string(column.type));
    json.end_object();
  }
  json.new_line().end_array();
}

void write_table(JsonWriter& json, const Table& table) {
  json.begin_object().new_line();
  json.key("title").string(table.title).new_line();
  json.key("columns");
  write_columns(json, table.columns);
  json.new_line().key("rows").begin_array();
  for (const auto& row : table.rows) {
    json.new_line().begin_object();
    for (std::size_t i = 0; i < row.size(); ++i) json.key(table.columns[i].name).cell(row[i]);
    json.end_object();
  }
  json.new_line().end_array().new_line();
  json.key("notes").begin_array();
  for (const std::string& note : table.notes) json.new_line().string(note);
  json.new_line().end_array();
  json.new_line().end_object();
}

void write_diagnostics(JsonWriter& json, const Diagnostics& diagnostics) {
  json.begin_array();
  for (const Diagnostic& entry : diagnostics.entries()) {
    json.new_line().begin_object();
    json.key("name").string(entry.name);
    json.key("count").integer(entry.count);
    json.key("detail").string(entry.detail);
    json.end_object();
  }
  json.new_line().end_array();
}

}  // namespace

std::string render_json(const Report& report) {
  JsonWriter json;
  json.begin_object().new_line();
  json.key("title").string(report.title).new_line();
  json.key("facts");
  write_facts(json, report.facts, true);
  json.new_line().key("findings");
  write_findings(json, report.findings);
  json.new_line().key("tables").begin_object();
  UniqueKeys keys;
  for (const Table& table : report.tables) {
    json.new_line().key(keys.next(table.name));
    write_table(json, table);
  }
  json.new_line().end_object().new_line();
  json.key("diagnostics");
  write_diagnostics(json, report.diagnostics);
  json.new_line().end_object();
  return std::move(json).take() + '\n';
}

}  // namespace assay::trace
