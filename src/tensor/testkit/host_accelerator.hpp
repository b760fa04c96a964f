#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>

#include <device_code/work.hpp>

#include "tensor/accelerator.hpp"

namespace assay::tensor::testkit {

/// Does on the processor what device_code/work.cu does on a GPU, element by element.
class HostAccelerator final : public Accelerator {
 public:
  HostAccelerator() { install(this); }
  HostAccelerator(const HostAccelerator&) = delete;
  HostAccelerator& operator=(const HostAccelerator&) = delete;
  HostAccelerator(HostAccelerator&&) = delete;
  HostAccelerator& operator=(HostAccelerator&&) = delete;
  ~HostAccelerator() override { install(nullptr); }

  std::map<std::string, int> ran;  // kernels, and how often
  bool broken = false;             // nothing works
  bool lies = false;               // what it is asked to find it does not

  std::byte* allocate(std::size_t size) override {
    ++arrays_;
    return static_cast<std::byte*>(std::malloc(size));
  }
  void release(std::byte* memory, std::size_t /*size*/) override {
    --arrays_;
    std::free(memory);
  }
  [[nodiscard]] int arrays() const { return arrays_; }

  bool copy(const std::byte* from, std::byte* to, std::size_t size) override {
    if (broken) return false;
    std::memcpy(to, from, size);
    return true;
  }

  bool run(const Launch& launch, void* task, std::span<std::byte> result) override {
    if (broken) return false;
    ++ran[launch.kernel];
    if (!lies) kernels_.at(launch.kernel)(task, result);
    return true;
  }
  using Accelerator::run;

 private:
  using Wide = both::Wide;
  using Kernel = std::function<void(void*, std::span<std::byte>)>;

  template <class Task>
  static std::pair<const std::string, Kernel> over(const char* name,
                                                   void (*each)(const Task&,
                                                                std::span<std::byte>)) {
    return {name, [each](void* task, std::span<std::byte> result) {
              each(*static_cast<const Task*>(task), result);
            }};
  }
  template <class Result>
  static Result* as(std::span<std::byte> bytes) {
    return reinterpret_cast<Result*>(bytes.data());
  }

  std::map<std::string, Kernel> kernels_{
      over<work::FillTask>("assay_fill",
                           [](const auto& task, auto) {
                             for (Wide i = 0; i < task.size; ++i) {
                               work::store<unsigned char>(
                                   task.to, i, i % 2 == 0 ? task.pattern : task.pattern >> 8U);
                             }
                           }),
      over<work::SameTask>("assay_same",
                           [](const auto& task, auto result) {
                             if (std::memcmp(task.a, task.b, task.size) != 0) {
                               *as<both::Word>(result) = 1;
                             }
                           }),
      over<work::GatherTask>("assay_gather",
                             [](const auto& task, auto result) {
                               for (Wide i = 0; i < task.count; ++i) {
                                 as<double>(result)[i] =
                                     work::read(task.kind, task.from, i * task.step);
                               }
                             }),
      over<work::CompareTask>(
          "assay_compare",
          [](const auto& task, auto result) {
            for (Wide from = 0; from < task.count; from += work::kStretch) {
              // One lane after the other, as a block's threads do it side by side.
              work::Stretch parts[work::kLanes];
              for (Wide lane = 0; lane < work::kLanes; ++lane) {
                work::Stretch& mine = parts[lane] = work::nothing_found();
                for (Wide i = from + lane; i < std::min(task.count, from + work::kStretch);
                     i += work::kLanes) {
                  mine.sum = work::plus(mine.sum, work::compare_element(task.kind, task, i, mine));
                }
              }
              for (Wide half = work::kLanes / 2; half > 0; half /= 2) {
                for (Wide lane = 0; lane < half; ++lane) {
                  work::add_part(parts[lane], parts[lane + half]);
                  parts[lane].sum = work::plus(parts[lane].sum, parts[lane + half].sum);
                }
              }
              as<work::Stretch>(result)[from / work::kStretch] = parts[0];
            }
          }),
      over<work::ShortcutTask>("assay_shortcut",
                               [](const auto& task, auto result) {
                                 for (Wide i = 0; i < task.count; ++i) {
                                   work::try_shortcut(task.kind, task, i,
                                                      *as<work::ShortcutFound>(result));
                                 }
                               }),
      over<work::GenerateTask>("assay_generate",
                               [](const auto& task, auto) {
                                 const Wide each = work::elements_of_block(task.content);
                                 for (Wide block = 0; block * each < task.count; ++block) {
                                   work::generate_block(task.kind, task, block);
                                 }
                               }),
      over<work::TransformTask>("assay_transform",
                                [](const auto& task, auto) {
                                  for (Wide i = 0; i < task.count; ++i) {
                                    work::transform_element(task.kind, task, i);
                                  }
                                }),
      over<work::RowsTask>("assay_near_rows",
                           [](const auto& task, auto) {
                             for (Wide row = 0; row < task.rows; ++row) {
                               if (!work::is_near_row(task, row)) continue;
                               const Wide first = row * task.width;
                               const double one = work::read(
                                   task.kind, task.array, first + work::center_of_row(task, row));
                               for (Wide i = 0; i < task.width; ++i) {
                                 work::draw_near(task.kind, task, first + i, one);
                               }
                             }
                           }),
      over<work::SortTask>("assay_sort",
                           [](const auto& task, auto) {
                             for (Wide i = 0; i < task.rows.rows * work::pairs_of_row(task); ++i) {
                               work::sort_pair(task.rows.kind, task, i);
                             }
                           }),
      over<work::NudgeTask>("assay_nudge",
                            [](const auto& task, auto) {
                              for (Wide i = 0; i < task.count; ++i) {
                                work::nudge_element(task.kind, task, i);
                              }
                            }),
      over<work::VaryTask>("assay_vary_all",
                           [](const auto& task, auto) {
                             for (Wide i = 0; i < task.count; ++i) work::vary_element(task, i);
                           }),
      over<work::FingerprintTask>("assay_sum_hashes",
                                  [](const auto& task, auto result) {
                                    for (Wide i = 0; i < task.count; ++i) {
                                      *as<Wide>(result) += work::hash_element(task, i);
                                    }
                                  }),
  };
  int arrays_ = 0;
};

}  // namespace assay::tensor::testkit
