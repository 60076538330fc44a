// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cases/row.hpp"
#include "bench/telemetry/cupti/hardware_counters.hpp"
#include "sectorbench/cuda/buffer.hpp"
#include "sectorbench/cuda/stream.hpp"
#include "sectorbench/verify/proof.hpp"
#include "test/device/require_gpu.hpp"
#include "test/support/pattern_cases.hpp"
#include "test/support/random_lanes.hpp"

// Does the hardware count what the sector model says? Not within a tolerance: the same integers.
//
// SECTORBENCH_SEED=N draws other cases; SECTORBENCH_REQUIRE_COUNTERS=1 makes it a failure that the
// counters cannot be read.

namespace sectorbench {
namespace {

using test::dice;
using test::lane_case;
using test::lane_map;
using test::lane_totals;

// In the order of `is_equal`.
const std::vector<std::string> kMetrics{
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
};

__global__ void nothing_kernel() {}

/// What one side of a launch of lanes needs: its map, or the list of what the map has.
struct device_side {
  lane_map map;
  const index_t* list = nullptr;  ///< null: the kernel computes the elements
};

__device__ index_t element_of(const device_side& side, index_t warp, unsigned lane,
                              index_t thread) {
  return side.list != nullptr ? side.list[thread] : side.map.element(warp, lane);
}

/// Each thread loads one element and stores one, as the maps say. No load can be left out, moved
/// behind the barrier or made conditional on the store: `keep`, off, would store every value.
template <class T>
__global__ void lanes_kernel(device_side loads, device_side stores, T* in, T* out, bool keep) {
  const unsigned in_block = threadIdx.y * blockDim.x + threadIdx.x;
  const unsigned block_threads = blockDim.x * blockDim.y;
  const unsigned block_warps = (block_threads + kWarpLanes - 1) / kWarpLanes;
  const index_t thread = index_t{blockIdx.x} * block_threads + in_block;
  const index_t warp = index_t{blockIdx.x} * block_warps + in_block / kWarpLanes;
  const unsigned lane = in_block % kWarpLanes;

  const index_t from = element_of(loads, warp, lane, thread);
  const index_t to = element_of(stores, warp, lane, thread);
  T value{};
  if (from != test::kOff) value = in[from];
  __syncthreads();
  if (to != test::kOff) out[to] = value;
  if (keep) out[thread] = value;
}

/// Where launches work.
struct launch_memory {
  const void* in;
  void* out;
  const index_t* lists;  ///< all lists of the launches
};

/// A launch with what the model says of it.
struct counted_launch {
  std::string description;
  launch_totals expected;
  side_totals lists;  ///< the part of the expected loads that reads lists
  std::function<void(const launch_memory&, CUstream_st*)> launch;
};

class MeasuredCounters : public gpu_test {
 protected:
  static constexpr int kRangesPerReading = 50;

  void SetUp() override {
    gpu_test::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    stream_ = std::make_unique<cuda_stream>();
    try {
      counters_ = open_hardware_counters(0, kMetrics);
      const auto launch = [&](int) {
        nothing_kernel<<<1, 1, 0, stream_->get()>>>();
        SECTORBENCH_CUDA_CHECK(cudaGetLastError());
        stream_->synchronize();
      };
      launch(0);
      // Permission may be missed only now.
      counters_->read(
          1, [](int) {}, launch);
    } catch (const cupti_unavailable& error) {
      const char* const required = std::getenv("SECTORBENCH_REQUIRE_COUNTERS");
      if (required != nullptr && std::string_view(required) == "1")
        FAIL() << error.what() << ", and SECTORBENCH_REQUIRE_COUNTERS=1";
      if (error.obstacle() == cupti_obstacle::kFailed) FAIL() << error.what();
      GTEST_SKIP() << name_of(error.obstacle()) << ": " << error.what();
    }
    ASSERT_EQ(counters_->metrics(), kMetrics);
  }

  /// Launches all, some in one reading, and compares; how many have the expected counts. Prints
  /// the others.
  int count_equal(const std::vector<counted_launch>& all) {
    const device_buffer in(in_bytes_), out(out_bytes_), lists(bytes_of_lists());
    if (lists.bytes() > 0)
      SECTORBENCH_CUDA_CHECK(cudaMemcpyAsync(lists.data(), lists_.data(),
                                             static_cast<std::size_t>(lists.bytes()),
                                             cudaMemcpyHostToDevice, stream_->get()));
    const launch_memory memory{in.data(), out.data(), lists.as<index_t>()};
    const auto launch = [&](std::size_t i) {
      all[i].launch(memory, stream_->get());
      stream_->synchronize();
    };
    int equal = 0;
    for (std::size_t first = 0; first < all.size(); first += kRangesPerReading) {
      const std::size_t last = std::min(all.size(), first + kRangesPerReading);
      // Once uncounted, so that no kernel is loaded while it is counted.
      for (std::size_t i = first; i < last; ++i) launch(i);
      const auto values = counters_->read(
          static_cast<int>(last - first), [](int) {},
          [&](int range) { launch(first + static_cast<std::size_t>(range)); });
      for (std::size_t i = first; i < last; ++i) equal += is_equal(all[i], values[i - first]);
    }
    lists_.clear();
    return equal;
  }

  counted_launch launch_of(const row_spec& row) {
    const std::shared_ptr<workload> work = make_workload(row);
    const buffer_bytes needs = work->needs();
    in_bytes_ = std::max(in_bytes_, needs.in);
    out_bytes_ = std::max(out_bytes_, needs.out);
    const auto list = std::make_shared<device_buffer>(needs.indices);
    if (needs.indices > 0) {
      work->meaning().launch_fill_indices(list->as<index_entry>(), stream_->get());
      stream_->synchronize();
    }
    launch_totals expected = work->meaning().totals();
    expected.loads += expected.indices;  // the hardware does not tell them apart
    return {row.key(), expected, expected.indices,
            [work, list](const launch_memory& memory, CUstream_st* stream) {
              work->launch({memory.in, memory.out, 1, false, list->as<index_entry>()}, stream);
            }};
  }

  counted_launch launch_of(const lane_case& one) {
    in_bytes_ = std::max(in_bytes_, test::kLaneElements * 16);
    out_bytes_ = std::max({out_bytes_, test::kLaneElements * 16, one.threads() * 16});
    const index_t load_list = one.load_list ? add_list(one.list_of(one.loads)) : kNoList;
    const index_t store_list = one.store_list ? add_list(one.list_of(one.stores)) : kNoList;
    const lane_totals totals = totals_of(one);
    return {describe(one),
            {totals.all_loads(), totals.data.stores},
            totals.lists,
            [=](const launch_memory& memory, CUstream_st* stream) {
              const auto side = [&](const lane_map& map, index_t list) {
                return device_side{map, list == kNoList ? nullptr : memory.lists + list};
              };
              with_element_of(one.width, [&](auto element) {
                using T = decltype(element);
                // As if the kernel could write it: a load of constant memory could be moved.
                T* const in = static_cast<T*>(const_cast<void*>(memory.in));
                lanes_kernel<<<one.blocks, dim3(one.block.x, one.block.y), 0, stream>>>(
                    side(one.loads, load_list), side(one.stores, store_list), in,
                    static_cast<T*>(memory.out), false);
              });
              SECTORBENCH_CUDA_CHECK(cudaGetLastError());
            }};
  }

 private:
  static constexpr index_t kNoList = -1;

  /// Where the list begins among all, at a multiple of 256 bytes.
  index_t add_list(const std::vector<index_t>& list) {
    constexpr index_t kAlignment = 256 / sizeof(index_t);
    const index_t begin = groups_of(kAlignment, static_cast<index_t>(lists_.size())) * kAlignment;
    lists_.resize(static_cast<std::size_t>(begin));
    lists_.insert(lists_.end(), list.begin(), list.end());
    return begin;
  }
  index_t bytes_of_lists() const { return static_cast<index_t>(lists_.size() * sizeof(index_t)); }

  static bool is_equal(const counted_launch& one, const std::vector<double>& measured) {
    const std::vector<double> expected{static_cast<double>(one.expected.loads.requests),
                                       static_cast<double>(one.expected.loads.sectors),
                                       static_cast<double>(one.expected.stores.requests),
                                       static_cast<double>(one.expected.stores.sectors)};
    if (measured == expected) return true;
    std::printf(
        "not equal: %s; requests and sectors of loads %.0f %.0f, expected %.0f %.0f (lists %.0f "
        "%.0f of them), of stores %.0f %.0f, expected %.0f %.0f\n",
        one.description.c_str(), measured[0], measured[1], expected[0], expected[1],
        static_cast<double>(one.lists.requests), static_cast<double>(one.lists.sectors),
        measured[2], measured[3], expected[2], expected[3]);
    return false;
  }

  std::unique_ptr<cuda_stream> stream_;
  std::unique_ptr<hardware_counters> counters_;
  index_t in_bytes_ = 0, out_bytes_ = 0;  // what the largest launch so far needs
  std::vector<index_t> lists_;
};

/// A value for a parameter: to the places where patterns change, and somewhat beyond.
index_t draw_value(dice& random, const parameter_spec& spec) {
  static const std::map<std::string_view, index_t> kHighest{
      {"stride", 200}, {"chunk", 80},  {"steps", 40}, {"loads", 40},    {"stores", 40},
      {"lanes", 32},   {"fields", 13}, {"field", 12}, {"columns", 700}, {"pitch", 1100}};
  const auto known = kHighest.find(spec.name);
  const index_t highest = known != kHighest.end() ? known->second : spec.lowest + 64;
  return random.between(spec.lowest, std::min(spec.highest, highest));
}

/// A registered pattern over a random number of elements. @pre there are patterns
row_spec draw_row(dice& random, const std::vector<const pattern_entry*>& patterns) {
  constexpr index_t kMostElements = 60'000;
  row_spec row;
  row.pattern = patterns[static_cast<std::size_t>(
      random.between(0, static_cast<index_t>(patterns.size()) - 1))];
  const auto one_of = [&](auto values) {
    return values[static_cast<std::size_t>(
        random.between(0, static_cast<index_t>(values.size()) - 1))];
  };
  row.operation = one_of(row.pattern->operations);
  row.type = one_of(row.pattern->types);
  for (const parameter_spec& spec : row.pattern->parameters)
    row.values.push_back(draw_value(random, spec));
  row.elements = random.skewed(1, kMostElements);
  row.block = {test::draw_threads(random), 1};
  return row;
}

/// The first such row that a GPU takes.
row_spec draw_launchable_row(dice& random, const std::vector<const pattern_entry*>& patterns) {
  for (;;) {
    const row_spec row = draw_row(random, patterns);
    if (make_workload(row)->meaning().refusal().empty()) return row;
  }
}

std::vector<const pattern_entry*> patterns_with_accesses() {
  std::vector<const pattern_entry*> patterns;
  for (const pattern_entry& entry : registered_patterns())
    if (!entry.mover) patterns.push_back(&entry);
  return patterns;
}

std::uint64_t chosen_seed() {
  const char* const seed = std::getenv("SECTORBENCH_SEED");
  return seed != nullptr ? std::strtoull(seed, nullptr, 0) : 20'250'701;
}

TEST_F(MeasuredCounters, OfOneWarpAreThoseWorkedOutByHand) {
  std::vector<counted_launch> launches;
  for (const auto& [name, one, requests, sectors] : test::lane_anchors()) {
    launches.push_back(launch_of(one));
    launches.back().description = name;
    // The anchor's numbers, whatever the model says.
    launches.back().expected = {{requests, sectors, 0}, {requests, sectors, 0}};
  }
  ASSERT_FALSE(launches.empty());
  EXPECT_EQ(count_equal(launches), static_cast<int>(launches.size()));
}

TEST_F(MeasuredCounters, OfAWrongPredictionAreNotEqual) {
  lane_case one;
  counted_launch wrong = launch_of(one);
  ASSERT_EQ(count_equal({wrong}), 1);
  ++wrong.expected.stores.sectors;
  wrong.description = "one sector too many expected, on purpose";
  EXPECT_EQ(count_equal({wrong}), 0);
}

TEST_F(MeasuredCounters, OfAThousandRandomPatternsEqualTheModel) {
  constexpr int kCases = 1000;
  const std::uint64_t seed = chosen_seed();
  std::printf("random patterns: seed %llu\n", static_cast<unsigned long long>(seed));
  const auto patterns = patterns_with_accesses();
  ASSERT_FALSE(patterns.empty());

  int equal = 0;
  side_totals loads, stores, lists;
  for (int first = 0; first < kCases; first += kRangesPerReading) {
    std::vector<counted_launch> launches;
    for (int number = first; number < std::min(kCases, first + kRangesPerReading); ++number) {
      dice random(seed, static_cast<std::uint64_t>(number));
      launches.push_back(number % 2 == 0 ? launch_of(draw_launchable_row(random, patterns))
                                         : launch_of(test::draw_lane_case(random)));
      counted_launch& one = launches.back();
      one.description = "seed " + std::to_string(seed) + ", case " + std::to_string(number) + ": " +
                        one.description;
      const auto add = [](side_totals& sum, const side_totals& more) {
        sum.requests += more.requests;
        sum.sectors += more.sectors;
      };
      add(loads, one.expected.loads);
      add(stores, one.expected.stores);
      add(lists, one.lists);
    }
    equal += count_equal(launches);
  }
  const auto print = [](const char* what, const side_totals& sum) {
    std::printf("%s: %llu requests, %llu sectors\n", what,
                static_cast<unsigned long long>(sum.requests),
                static_cast<unsigned long long>(sum.sectors));
  };
  print("expected loads", loads);
  print("of these of lists", lists);
  print("expected stores", stores);
  std::printf("random patterns: %d of %d equal, seed %llu\n", equal, kCases,
              static_cast<unsigned long long>(seed));
  EXPECT_EQ(equal, kCases);
}

}  // namespace
}  // namespace sectorbench
