#include "wire/python_messages.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/result.hpp"
#include "model/device_info.hpp"
#include "model/dtype.hpp"
#include "model/extension.hpp"
#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "model/names.hpp"
#include "model/python_protocol.hpp"
#include "model/request.hpp"
#include "model/runner_protocol.hpp"
#include "model/tree.hpp"
#include "wire/extension_json.hpp"
#include "wire/fields.hpp"
#include "wire/json_text.hpp"
#include "wire/real_text.hpp"
#include "wire/reply_json.hpp"
#include "wire/round_json.hpp"

namespace assay::wire {
namespace {

// What a hostile reply may make us hold.
constexpr int kMaxDepth = 32;
constexpr std::size_t kMaxItems = 65536;
constexpr std::size_t kMaxDimensions = 64;
constexpr std::uint64_t kMaxTensorBytes = std::uint64_t{1} << 40U;

Json tree_json(const Tree& tree);

struct TreeJson {
  Json operator()(NoneLeaf) const { return {{"k", "none"}}; }
  Json operator()(bool value) const { return {{"k", "bool"}, {"v", value}}; }
  Json operator()(std::int64_t value) const { return {{"k", "int"}, {"v", value}}; }
  Json operator()(double value) const { return {{"k", "float"}, {"v", real_text(value)}}; }
  Json operator()(const std::string& value) const { return {{"k", "str"}, {"v", value}}; }
  Json operator()(const TensorLeaf& leaf) const {
    Json json = {{"k", "tensor"}, {"shape", leaf.shape}, {"dtype", to_string(leaf.dtype)}};
    if (!leaf.order.empty()) json["order"] = leaf.order;
    if (leaf.offset) json["offset"] = *leaf.offset;
    return json;
  }
  Json operator()(const SequenceNode& node) const {
    return {{"k", node.is_tuple ? "tuple" : "list"}, {"items", items(node.items)}};
  }
  Json operator()(const MappingNode& node) const {
    return {{"k", "dict"}, {"keys", node.keys}, {"items", items(node.items)}};
  }

 private:
  static Json items(const std::vector<Tree>& trees) {
    Json list = Json::array();
    for (const Tree& tree : trees) list.push_back(tree_json(tree));
    return list;
  }
};

Json tree_json(const Tree& tree) {
  return std::visit(TreeJson{}, tree.value);
}

/// Reads a tree with bounds on everything; throws as the JSON library does.
class TreeReader {
 public:
  Tree read(const Json& json, int depth = 0) {
    if (depth > kMaxDepth) throw std::invalid_argument("a value is nested too deeply");
    if (++items_ > kMaxItems) throw std::invalid_argument("a value has too many parts");
    const std::string kind = json.at("k");
    if (kind == "none") return {NoneLeaf{}};
    if (kind == "bool") return {json.at("v").get<bool>()};
    if (kind == "int") return {json.at("v").get<std::int64_t>()};
    if (kind == "float") return {read_real(json.at("v").get_ref<const std::string&>())};
    if (kind == "str") return {json.at("v").get<std::string>()};
    if (kind == "tensor") return {tensor(json)};
    if (kind == "list" || kind == "tuple") {
      return {SequenceNode{.is_tuple = kind == "tuple", .items = children(json, depth)}};
    }
    if (kind != "dict") throw std::invalid_argument("unknown kind of value");
    MappingNode mapping{.keys = json.at("keys").get<std::vector<std::string>>(),
                        .items = children(json, depth)};
    if (mapping.keys.size() != mapping.items.size()) {
      throw std::invalid_argument("a mapping needs one key for each item");
    }
    return {std::move(mapping)};
  }

 private:
  std::vector<Tree> children(const Json& json, int depth) {
    std::vector<Tree> trees;
    for (const Json& item : json.at("items")) trees.push_back(read(item, depth + 1));
    return trees;
  }

  static TensorLeaf tensor(const Json& json) {
    const auto dtype = value_in(kDTypeNames, json.at("dtype").get_ref<const std::string&>());
    if (!dtype) throw std::invalid_argument("unknown dtype");
    TensorLeaf leaf{.shape = json.at("shape").get<Shape>(), .dtype = *dtype};
    if (leaf.shape.size() > kMaxDimensions) throw std::invalid_argument("too many dimensions");
    std::uint64_t bytes = size_of(*dtype);
    for (const std::int64_t extent : leaf.shape) {
      if (extent < 0) throw std::invalid_argument("a dimension is negative");
      const auto length = static_cast<std::uint64_t>(extent);
      if (length != 0 && bytes > kMaxTensorBytes / length) {
        throw std::invalid_argument("a tensor is too large");
      }
      bytes *= length;
    }
    if (json.contains("order")) leaf.order = order(json.at("order"), leaf.shape.size());
    leaf.is_input = json.value("is_input", false);
    leaf.is_array = json.value("is_array", false);
    return leaf;
  }

  static std::vector<std::uint32_t> order(const Json& json, std::size_t dimensions) {
    auto order = json.get<std::vector<std::uint32_t>>();
    std::vector<std::uint32_t> sorted = order;
    std::ranges::sort(sorted);
    bool is_permutation = sorted.size() == dimensions;
    for (std::size_t i = 0; i < sorted.size(); ++i) is_permutation &= sorted[i] == i;
    if (!is_permutation) throw std::invalid_argument("not an order of a tensor's dimensions");
    return order;
  }

  std::size_t items_ = 0;
};

std::string_view name_of(MemoryKind memory) {
  return memory == MemoryKind::host ? "host" : "cuda";
}

void set_if(Json& json, const char* key, const std::optional<std::string>& value) {
  if (value) json[key] = *value;
}

Json metadata_json(const KernelMetadata& metadata) {
  Json json = Json::object();
  set_if(json, "function_name", metadata.function_name);
  set_if(json, "class_name", metadata.class_name);
  set_if(json, "method_name", metadata.method_name);
  set_if(json, "kernel_name", metadata.kernel_name);
  set_if(json, "entry_point", metadata.entry_point);
  if (metadata.init_args) json["init_args"] = parse(*metadata.init_args);
  if (metadata.init_kwargs) json["init_kwargs"] = parse(*metadata.init_kwargs);
  return json;
}

Json launch_json(const LaunchConfig& launch) {
  Json json = {
      {"grid", nullptr}, {"grid_expr", nullptr}, {"num_warps", nullptr}, {"num_stages", nullptr}};
  if (launch.grid) json["grid"] = {launch.grid->x, launch.grid->y, launch.grid->z};
  if (!launch.grid_expressions.empty()) json["grid_expr"] = launch.grid_expressions;
  if (launch.num_warps) json["num_warps"] = *launch.num_warps;
  if (launch.num_stages) json["num_stages"] = *launch.num_stages;
  return json;
}

Json sanitize_json(const Sanitize& sanitize) {
  Json names = Json::array();
  if (sanitize.memory) names.push_back("memory");
  if (sanitize.race) names.push_back("race");
  if (sanitize.init) names.push_back("init");
  if (sanitize.sync) names.push_back("sync");
  return names;
}

struct PythonCommandJson {
  Json operator()(const PythonLoad& c) const {
    Json python = {{"type", to_string(c.kernel->type)},
                   {"descriptors", Json::array()},
                   {"source", c.kernel->source},
                   {"metadata", metadata_json(c.kernel->metadata)},
                   {"role", c.is_reference ? "reference" : "candidate"},
                   {"seed", c.seed},
                   {"device", to_string(c.device)},
                   {"sanitize", sanitize_json(c.sanitize)},
                   {"schedule_seed", c.schedule_seed}};
    for (const auto& [name, value] : c.kernel->constants) {
      python["constants"][name] = Json::parse(value);
    }
    if (c.kernel->io) {
      Json args = Json::array();
      for (const Argument& argument : c.kernel->io->args) {
        args.push_back({{"name", argument.name}, {"meta", argument.is_meta}});
      }
      python["args"] = std::move(args);
      python["launch"] = launch_json(c.kernel->io->launch);
    }
    for (std::size_t i = 0; i < c.extensions; ++i) python["descriptors"].push_back("extensions");
    if (c.with_support) python["descriptors"].push_back("support");
    if (c.with_compiled) python["descriptors"].push_back("compiled");
    return {{"op", "load"}, {"python", std::move(python)}};
  }
  Json operator()(const DiscoverCommand& c) const {
    return {{"op", "discover"},
            {"type", to_string(c.kernel->type)},
            {"source", c.kernel->source},
            {"metadata", metadata_json(c.kernel->metadata)}};
  }
  Json operator()(const ProduceCommand& c) const {
    return {{"op", "produce"}, {"what", to_string(c.parcel)}, {"seed", c.seed}};
  }
  Json operator()(const CollectCommand& c) const {
    return {{"op", "collect"},
            {"what", to_string(c.parcel)},
            {"offsets", c.offsets},
            {"arena_size", c.arena_size},
            {"memory", name_of(c.memory)}};
  }
  Json operator()(const GiveCommand& c) const {
    Json restores = Json::array();
    for (const ArenaCopy& copy : c.restores) restores.push_back({copy.from, copy.to, copy.size});
    return {{"op", "give"},
            {"what", to_string(c.parcel)},
            {"value", tree_json(c.value)},
            {"arena_size", c.arena_size},
            {"memory", name_of(c.memory)},
            {"restores", std::move(restores)},
            {"vary_weights", to_string(c.vary_weights)}};
  }
  Json operator()(const RunCommand&) const { return {{"op", "run"}}; }
  Json operator()(const PreciseRunCommand& c) const {
    return {{"op", "run_precisely"}, {"of_last_run", c.of_last_run}};
  }
  Json operator()(const CopyRunCommand& c) const {
    return {{"op", "run_again"}, {"of_last_run", c.of_last_run}};
  }
  Json operator()(const WarmCommand& c) const { return {{"op", "warm"}, {"calls", c.calls}}; }
  Json operator()(const TimeCommand& c) const { return {{"op", "time"}, {"samples", c.samples}}; }
  Json operator()(const ArmCommand& c) const { return arm_json(c); }
  Json operator()(const RoundCommand& c) const { return round_json(c); }
  Json operator()(const HostTimeCommand& c) const { return host_time_json(c); }
  Json operator()(const TraceCommand& c) const { return trace_json(c); }
  Json operator()(const ProfileCommand& c) const { return {{"op", "profile"}, {"range", c.range}}; }
  Json operator()(const OutputsCommand&) const { return {{"op", "outputs"}}; }
  Json operator()(const PackCommand&) const { return {{"op", "pack"}}; }
};

struct FromNative {
  PythonReply operator()(auto reply) const { return reply; }
  PythonReply operator()(const Bound&) const {
    throw std::invalid_argument("a Python kernel is not bound");
  }
  PythonReply operator()(const Counted&) const {
    throw std::invalid_argument("a Python kernel does not count");
  }
};

VariedWeights read_varied(const Json& json) {
  return {.of_norms = json.at("norms").get<std::vector<std::string>>(),
          .made = json.at("made").get<std::vector<std::string>>(),
          .others = json.at("others").get<std::vector<std::string>>()};
}

PythonReply read_python_reply(const Json& json) {
  const std::string kind = json.at("reply");
  if (kind == "loaded") {
    return Loaded{.has_inputs = json.at("has_inputs"),
                  .has_init_inputs = json.at("has_init_inputs"),
                  .takes_state = json.at("takes_state")};
  }
  if (kind == "produced") {
    return Produced{
        .value = TreeReader().read(json.at("value")),
        .tf32 = json.value("tf32", false),
        .on_device = json.value("on_device", false),
        .varied = json.contains("varied") ? read_varied(json.at("varied")) : VariedWeights{}};
  }
  if (kind == "stated") {
    return Stated{.unmatched = json.at("unmatched").get<std::vector<std::string>>(),
                  .late = json.at("late").get<std::vector<std::string>>()};
  }
  if (kind == "packed") return Packed{json.at("bytes").get_ref<const std::uint64_t&>()};
  if (kind == "discovered") return Discovered{read_calls(json.at("calls"))};
  if (kind == "build_needed") {
    ExtensionsNeeded needed{.calls = read_calls(json.at("calls"))};
    if (needed.calls.empty()) throw std::invalid_argument("nothing is needed");
    return needed;
  }
  return std::visit(FromNative{}, read_reply(json));
}

}  // namespace

std::string encode_command(const PythonCommand& command) {
  return dump(std::visit(PythonCommandJson{}, command));
}

Result<PythonReply> decode_python_reply(std::string_view text) {
  return read_guarded(ErrorCode::invalid_argument, "a runner's reply", text, read_python_reply);
}

}  // namespace assay::wire
