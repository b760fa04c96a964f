#include <optional>

#include "model/kernel_resources.hpp"
#include "wire/fields.hpp"
#include "wire/outcome_json.hpp"

namespace assay::wire {

Json spills_json(const RegisterSpills& spills) {
  return {{"store_bytes", spills.store_bytes}, {"load_bytes", spills.load_bytes}};
}

RegisterSpills read_spills(const Json& json) {
  return {.store_bytes = json.at("store_bytes"), .load_bytes = json.at("load_bytes")};
}

Json resources_json(const KernelResources& resources) {
  Json json = {{"registers_per_thread", resources.registers_per_thread},
               {"local_bytes_per_thread", resources.local_bytes_per_thread},
               {"static_shared_bytes", resources.static_shared_bytes},
               {"dynamic_shared_bytes", resources.dynamic_shared_bytes},
               {"constant_bytes", resources.constant_bytes},
               {"max_threads_per_block", resources.max_threads_per_block},
               {"blocks_per_multiprocessor", resources.blocks_per_multiprocessor},
               {"occupancy", resources.occupancy}};
  if (resources.spills) json["spills"] = spills_json(*resources.spills);
  return json;
}

KernelResources read_resources(const Json& json) {
  KernelResources resources{.registers_per_thread = json.at("registers_per_thread"),
                            .local_bytes_per_thread = json.at("local_bytes_per_thread"),
                            .static_shared_bytes = json.at("static_shared_bytes"),
                            .dynamic_shared_bytes = json.at("dynamic_shared_bytes"),
                            .constant_bytes = json.at("constant_bytes"),
                            .max_threads_per_block = json.at("max_threads_per_block"),
                            .blocks_per_multiprocessor = json.at("blocks_per_multiprocessor"),
                            .occupancy = json.at("occupancy")};
  if (json.contains("spills")) resources.spills = read_spills(json.at("spills"));
  return resources;
}

}  // namespace assay::wire
