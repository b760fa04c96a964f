#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/context.hpp"
#include "model/device_info.hpp"

namespace assay::api {
namespace {

/// The first IPv4 address that is not the loopback's.
std::string first_address() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return "127.0.0.1";
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET ||
        (entry->ifa_flags & IFF_LOOPBACK) != 0) {
      continue;
    }
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(entry->ifa_addr, sizeof(sockaddr_in), text.data(), text.size(), nullptr, 0,
                      NI_NUMERICHOST) == 0) {
      return text.data();
    }
  }
  return "127.0.0.1";
}

}  // namespace

std::string gpu_type_of(std::span<const DeviceInfo> devices) {
  for (const DeviceInfo& device : devices) {
    std::string name = device.name;
    std::ranges::transform(name, name.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    for (const char* type : {"a100", "h100", "h200"}) {
      if (name.find(type) != std::string::npos) return type;
    }
  }
  return "";
}

HostInfo this_host(std::span<const DeviceInfo> devices) {
  std::array<char, 256> name{};
  const bool named = ::gethostname(name.data(), name.size() - 1) == 0;
  return {.name = named ? name.data() : "unknown",
          .ip = first_address(),
          .gpu_type = gpu_type_of(devices)};
}

}  // namespace assay::api
