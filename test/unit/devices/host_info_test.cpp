// SPDX-License-Identifier: Apache-2.0
#include "bench/devices/host_info.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace sectorbench {
namespace {

namespace fs = std::filesystem;

// A made-up machine: /proc and /sys below a folder of its own.
class HostInfo : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "host_info_test.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    put("proc/meminfo", "MemTotal:       16384 kB\nMemFree:  1 kB\nMemAvailable:    8192 kB\n");
  }
  void TearDown() override { fs::remove_all(root_); }

  void put(const fs::path& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  fs::path root_;
};

TEST_F(HostInfo, CountsCoresAndThreads) {
  std::string cpuinfo;
  for (int cpu = 0; cpu < 4; ++cpu) {
    cpuinfo += "processor\t: " + std::to_string(cpu) + "\nmodel name\t: A \"B\" CPU @ 2 GHz\n\n";
    put("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list",
        cpu % 2 == 0 ? "0,2\n" : "1,3\n");
  }
  put("proc/cpuinfo", cpuinfo);
  const host_info info = read_host_info(root_);
  EXPECT_EQ(info.cpu_model, "A 'B' CPU @ 2 GHz");
  EXPECT_EQ(info.hardware_threads, 4);
  EXPECT_EQ(info.cores, 2);
  EXPECT_GE(info.openmp_threads, 1);
}

TEST_F(HostInfo, WithoutATopologyEachThreadIsACore) {
  put("proc/cpuinfo", "processor\t: 0\nprocessor\t: 1\n");
  const host_info info = read_host_info(root_);
  EXPECT_EQ(info.cores, 2);
  EXPECT_FALSE(info.cpu_model.empty());
}

TEST_F(HostInfo, ReadsCacheSizesAndLeavesInstructionsOut) {
  const auto cache = [&](int index, const char* level, const char* type, const char* size) {
    const fs::path folder = "sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
    put(folder / "level", level);
    put(folder / "type", type);
    put(folder / "size", size);
  };
  cache(0, "1\n", "Data\n", "48K\n");
  cache(1, "1\n", "Instruction\n", "32K\n");
  cache(2, "2\n", "Unified\n", "2048K\n");
  cache(3, "3\n", "Unified\n", "300M\n");
  const host_info info = read_host_info(root_);
  EXPECT_EQ(info.l1d_bytes, 48 * 1024);
  EXPECT_EQ(info.l2_bytes, 2048 * 1024);
  EXPECT_EQ(info.l3_bytes, 300 * 1024 * 1024);
}

TEST_F(HostInfo, MemoryIsThatOfTheMachineWithoutControlGroups) {
  const host_info info = read_host_info(root_);
  EXPECT_EQ(info.memory_bytes, 16384 * 1024);
  EXPECT_EQ(info.memory_available_bytes, 8192 * 1024);
}

TEST_F(HostInfo, MemoryIsBoundedByEveryControlGroupAboveTheProcess) {
  put("proc/self/cgroup", "0::/outer/inner\n");
  put("sys/fs/cgroup/outer/memory.max", "4194304\n");
  put("sys/fs/cgroup/outer/memory.current", "3145728\n");
  put("sys/fs/cgroup/outer/memory.stat", "anon 5\ninactive_file 1048576\n");
  put("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  const host_info info = read_host_info(root_);
  EXPECT_EQ(info.memory_bytes, 4194304);
  EXPECT_EQ(info.memory_available_bytes, 2097152);  // 4 Mi - (3 Mi - 1 Mi that can be dropped)
}

TEST_F(HostInfo, TheMountBoundsAContainerWhoseGroupIsNotThere) {
  put("proc/self/cgroup", "5:cpu:/x\n3:memory,hugetlb:/docker/abc\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "1048576\n");
  put("sys/fs/cgroup/memory/memory.usage_in_bytes", "2097152\n");
  const host_info info = read_host_info(root_);
  EXPECT_EQ(info.memory_bytes, 1048576);
  EXPECT_EQ(info.memory_available_bytes, 0);
}

TEST_F(HostInfo, AnEmptySystemGivesZerosAndNoError) {
  const host_info info = read_host_info(root_ / "none");
  EXPECT_EQ(info.cores, 0);
  EXPECT_EQ(info.l2_bytes, 0);
  EXPECT_EQ(info.memory_bytes, 0);
}

TEST(HostInfoHere, SaysWhatThisMachineHas) {
  const host_info info = read_host_info();
  EXPECT_FALSE(info.cpu_model.empty());
  EXPECT_GE(info.hardware_threads, 1);
  EXPECT_GE(info.cores, 1);
  EXPECT_GT(info.memory_bytes, 0);
  EXPECT_LE(info.memory_available_bytes, info.memory_bytes);
}

TEST_F(HostInfo, QuotaOfTheControlGroupIsTheLeastOnTheWayUp) {
  put("proc/self/cgroup", "0::/outer/inner\n");
  put("sys/fs/cgroup/outer/cpu.max", "50000 100000\n");
  put("sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
  EXPECT_DOUBLE_EQ(read_host_info(root_).cpu_quota, 0.5);
  put("sys/fs/cgroup/outer/inner/cpu.max", "20000 100000\n");
  EXPECT_DOUBLE_EQ(read_host_info(root_).cpu_quota, 0.2);
}

TEST_F(HostInfo, QuotaOfTheFirstVersionOfControlGroups) {
  put("proc/self/cgroup", "4:cpu,cpuacct:/\n3:memory:/\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "150000\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(read_host_info(root_).cpu_quota, 1.5);
  put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(read_host_info(root_).cpu_quota, 0);
}

TEST_F(HostInfo, ReadsWhatDecidesAboutTimes) {
  put("proc/self/status", "Name:\tx\nCpus_allowed_list:\t0,2-3\nMems_allowed_list:\t0\n");
  put("proc/loadavg", "1.25 0.50 0.10 1/100 4242\n");
  put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  put("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  const host_info info = read_host_info(root_);
  EXPECT_EQ(info.affinity, "0,2-3");
  EXPECT_EQ(info.numa_nodes, "0");
  EXPECT_DOUBLE_EQ(info.load_1min, 1.25);
  EXPECT_EQ(info.governor, "powersave");
  EXPECT_EQ(info.turbo, "off");
}

}  // namespace
}  // namespace sectorbench
