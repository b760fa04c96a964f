#include "device/activity_records.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "device/cupti_api.hpp"
#include "device/testkit/fake_cupti.hpp"

namespace assay::device {
namespace {

ActivityRecords read(RecordBuffer& buffer) {
  ActivityRecords records;
  records.add(buffer.bytes(), FakeCupti::table().next_record);
  return records;
}

TEST(ActivityRecords, kernels_carry_name_times_and_correlation) {
  RecordBuffer buffer;
  buffer.kernel("relu", 7, 100, 350);
  buffer.kernel("tanh", 8, 400, 500);
  buffer.kernel("relu", 9, 600, 700);
  const ActivityRecords records = read(buffer);
  ASSERT_EQ(records.activities.size(), 3U);
  EXPECT_EQ(records.names, (std::vector<std::string>{"relu", "tanh"}));
  EXPECT_EQ(records.activities[2].name, 0U);
  EXPECT_EQ(records.activities[0].correlation, 7U);
  EXPECT_EQ(records.activities[0].start, TraceTime(100));
  EXPECT_EQ(records.activities[0].end, TraceTime(350));
  EXPECT_EQ(records.unreadable, 0U);
}

TEST(ActivityRecords, copies_and_memsets_are_named_for_what_they_do) {
  RecordBuffer buffer;
  buffer.copy(cupti::CopyKind::host_to_device, 1, 10, 11);
  buffer.copy(cupti::CopyKind::device_to_host, 2, 12, 13);
  buffer.copy(cupti::CopyKind::device_to_device, 3, 14, 15);
  buffer.peer_copy(4, 16, 17);
  buffer.memset(5, 18, 19);
  const ActivityRecords records = read(buffer);
  EXPECT_EQ(records.names,
            (std::vector<std::string>{"[copy host to device]", "[copy device to host]",
                                      "[copy on device]", "[copy between devices]", "[memset]"}));
  ASSERT_EQ(records.activities.size(), 5U);
  EXPECT_EQ(records.activities[3].correlation, 4U);
  EXPECT_EQ(records.activities[4].end, TraceTime(19));
}

TEST(ActivityRecords, copies_from_host_to_host_are_not_the_devices) {
  RecordBuffer buffer;
  buffer.copy(cupti::CopyKind::host_to_host, 1, 0, 0);
  EXPECT_TRUE(read(buffer).activities.empty());
}

TEST(ActivityRecords, a_nested_call_does_not_hide_when_the_outer_one_began) {
  RecordBuffer buffer;
  buffer.call(cupti::Kind::driver_call, 7, 120);
  buffer.call(cupti::Kind::runtime_call, 7, 100);
  const ActivityRecords records = read(buffer);
  EXPECT_EQ(records.launched.at(7), TraceTime(100));
}

TEST(ActivityRecords, marks_of_other_tools_are_not_ours) {
  RecordBuffer buffer;
  buffer.mark(7, 3);
  buffer.mark(7, 99, cupti::kExternalKind - 1);
  const ActivityRecords records = read(buffer);
  EXPECT_EQ(records.marks.at(7), 3U);
  EXPECT_EQ(records.marks.size(), 1U);
}

TEST(ActivityRecords, a_record_that_cannot_be_read_is_counted) {
  RecordBuffer buffer;
  buffer.kernel("relu", 7, 100, 350);
  buffer.unknown();
  const ActivityRecords records = read(buffer);
  EXPECT_EQ(records.activities.size(), 1U);
  EXPECT_EQ(records.unreadable, 1U);
}

TEST(ActivityRecords, a_kernel_without_a_name_is_still_a_kernel) {
  RecordBuffer buffer;
  buffer.kernel(nullptr, 7, 100, 350);
  EXPECT_EQ(read(buffer).names, std::vector<std::string>{"[kernel without a name]"});
}

TEST(ActivityRecords, an_empty_buffer_adds_nothing) {
  RecordBuffer buffer;
  const ActivityRecords records = read(buffer);
  EXPECT_TRUE(records.activities.empty());
  EXPECT_EQ(records.unreadable, 0U);
}

}  // namespace
}  // namespace assay::device
