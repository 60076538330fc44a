// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <new>
#include <stdexcept>
#include <thread>

#include "sectorbench/benchmark/kernel.hpp"
#include "sectorbench/benchmark/pattern.hpp"

/// @file
/// Kernels of a program's author for the CPU: right ones, and one for each mistake.

namespace {

using namespace sectorbench;

constexpr index_t kCount = 4096;
constexpr kernel_bytes kCopied{kCount * 4, kCount * 4};

std::vector<kernel_buffer> in_and_out(const kernel_parameters&) {
  return {input<float>("x", kCount), output<float>("y", kCount)};
}
kernel_bytes copied(const kernel_parameters&) { return kCopied; }

void double_all(const kernel_arguments& a, index_t count = kCount) {
  for (index_t i = 0; i < count; ++i) a.at<float>("y")[i] = 2 * a.at<float>("x")[i];
}

/// A kernel that doubles `x`, but for what it does as well.
kernel doubling(std::string name, std::function<void(const kernel_arguments&)> as_well) {
  return {.name = std::move(name),
          .summary = "doubles x, and does as it is called",
          .buffers = in_and_out,
          .bytes = copied,
          .run_on_host =
              [as_well = std::move(as_well)](const kernel_arguments& a) {
                double_all(a);
                as_well(a);
              },
          .reference = [](const kernel_arguments& a) { double_all(a); }};
}

const kernel_registration right(doubling("right", [](const auto&) {}));

const kernel_registration sums({
    .name = "sums",
    .summary = "adds up the rows of a matrix",
    .axes = {{"columns", {100, 128}}, {"rows", {8}}},
    .buffers =
        [](const kernel_parameters& p) {
          return std::vector{input<float>("a", p["rows"] * p["columns"]),
                             output<double>("sums", p["rows"], 1e-6)};
        },
    .bytes =
        [](const kernel_parameters& p) {
          return kernel_bytes{p["rows"] * p["columns"] * 4, p["rows"] * 8};
        },
    .run_on_host =
        [](const kernel_arguments& a) {
          for (index_t row = 0; row < a["rows"]; ++row) {
            float sum = 0;  // less precise than the reference, and within the tolerance
            for (index_t i = 0; i < a["columns"]; ++i)
              sum += std::abs(a.at<float>("a")[row * a["columns"] + i]);
            a.at<double>("sums")[row] = static_cast<double>(sum);
          }
        },
    .reference =
        [](const kernel_arguments& a) {
          for (index_t row = 0; row < a["rows"]; ++row) {
            double sum = 0;
            for (index_t i = 0; i < a["columns"]; ++i)
              sum += std::abs(static_cast<double>(a.at<float>("a")[row * a["columns"] + i]));
            a.at<double>("sums")[row] = sum;
          }
        },
});

const kernel_registration unchecked({.name = "unchecked",
                                     .summary = "nobody says what is right",
                                     .buffers = in_and_out,
                                     .bytes = copied,
                                     .run_on_host = [](const auto& a) { double_all(a); }});

const kernel_registration counts_up({.name = "counts_up",
                                     .summary = "adds one to each element in place",
                                     .buffers =
                                         [](const auto&) {
                                           return std::vector{updated<int>(
                                               "n", kCount, 0, [](std::span<int> n, std::uint64_t) {
                                                 for (int& one : n) one = 7;
                                               })};
                                         },
                                     .bytes = copied,
                                     .run_on_host =
                                         [](const auto& a) {
                                           for (int& n : a.template all<int>("n")) ++n;
                                         },
                                     .check = [](const auto& a) -> std::string {
                                       for (const int n : a.template all<int>("n"))
                                         if (n != 8)
                                           return "an element is " + std::to_string(n) + ", not 8";
                                       return "";
                                     }});

const kernel_registration as_stride({.name = "as_stride",
                                     .summary = "names the row that accesses as it does",
                                     .buffers = in_and_out,
                                     .bytes = copied,
                                     .run_on_host = [](const auto& a) { double_all(a); },
                                     .check = [](const auto&) { return std::string(); },
                                     .accesses =
                                         [](const auto&) {
                                           return "stride/copy/f32/stride:1/elements:" +
                                                  std::to_string(kCount);
                                         }});

// ---- Mistakes

const kernel_registration after_end(doubling("after_end", [](const kernel_arguments& a) {
  a.at<float>("y")[kCount] = 1;
}));
const kernel_registration before_begin(doubling("before_begin", [](const kernel_arguments& a) {
  a.at<float>("y")[-3] = 1;
}));
const kernel_registration into_input(doubling("into_input", [](const kernel_arguments& a) {
  a.at<float>("x")[5] += 1;
}));
const kernel_registration drops_one({.name = "drops_one",
                                     .summary = "leaves the last element out",
                                     .buffers = in_and_out,
                                     .bytes = copied,
                                     .run_on_host =
                                         [](const auto& a) { double_all(a, kCount - 1); },
                                     .reference = [](const auto& a) { double_all(a); }});
const kernel_registration differs({.name = "differs",
                                   .summary = "leaves other bytes each time",
                                   .buffers = in_and_out,
                                   .bytes = copied,
                                   .run_on_host =
                                       [](const auto& a) {
                                         static int launches = 0;
                                         double_all(a);
                                         a.template at<float>("y")[9] =
                                             static_cast<float>(++launches);
                                       },
                                   .check = [](const auto&) { return std::string(); }});
const kernel_registration forgets(doubling("forgets", [](const kernel_arguments& a) {
  static int launches = 0;  // right while it is verified
  if (++launches > 10) a.at<float>("y")[0] = 0;
}));
const kernel_registration throws(doubling("throws", [](const kernel_arguments&) {
  throw std::runtime_error("the author's own words");
}));
const kernel_registration throws_a_number(doubling("throws_a_number",
                                                   [](const kernel_arguments&) { throw 42; }));
const kernel_registration throws_later(doubling("throws_later", [](const kernel_arguments&) {
  static int launches = 0;  // when it is timed
  if (++launches > 10) throw std::runtime_error("too late");
}));
const kernel_registration hangs(doubling("hangs", [](const kernel_arguments&) {
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}));
const kernel_registration too_large(
    {.name = "too_large",
     .summary = "wants 32 TiB",
     .buffers = [](const auto&) { return std::vector{output<double>("y", index_t{1} << 42)}; },
     .bytes = copied,
     .run_on_host = [](const auto&) {}});
const kernel_registration gpu_only({.name = "gpu_only",
                                    .summary = "has no launch for a CPU",
                                    .buffers = in_and_out,
                                    .bytes = copied,
                                    .launch = [](const auto&, CUstream_st*) {}});
const kernel_registration wrong_type(doubling("wrong_type", [](const kernel_arguments& a) {
  a.at<double>("x")[0] = 1;
}));
const kernel_registration no_such_axis({.name = "no_such_axis",
                                        .summary = "asks for an axis that it has not",
                                        .axes = {{"columns", {1}}},
                                        .buffers = in_and_out,
                                        .bytes =
                                            [](const auto& p) {
                                              return kernel_bytes{p["colums"], 1};
                                            },
                                        .run_on_host = [](const auto&) {}});
const kernel_registration empty_axis({.name = "empty_axis",
                                      .summary = "has an axis without values",
                                      .axes = {{"columns", {}}},
                                      .buffers = in_and_out,
                                      .bytes = copied,
                                      .run_on_host = [](const auto&) {}});
const kernel_registration no_bytes({.name = "no_bytes",
                                    .summary = "moves nothing",
                                    .buffers = in_and_out,
                                    .bytes = [](const auto&) { return kernel_bytes{}; },
                                    .run_on_host = [](const auto&) {}});
const kernel_registration twice(doubling("twice", [](const auto&) {}));
const kernel_registration twice_again(doubling("twice", [](const auto&) {}));
const kernel_registration stride(doubling("stride", [](const auto&) {}));
/// Copies elements in their order.
struct plain_copy {
  static constexpr std::string_view kName = "plain_copy";
  static constexpr std::string_view kSummary = "a pattern of the author's";
  static constexpr std::string_view kMapping = "thread t: element t";
  static constexpr auto kParameters = kNoParameters;
  static constexpr std::array kOperations{operation_kind::kCopy};
  static constexpr std::array kTypes{element_type::kF32};
  static constexpr bool kThreadsAffine = true;

  index_t n;

  static constexpr plain_copy make(index_t n, std::span<const index_t>) { return {n}; }
  constexpr launch_shape shape(block_size block) const { return row_of_threads(n, block); }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }
  template <class Access>
  constexpr void run(const lane& t, const Access& a) const {
    a.move(t.column() < n, t.column(), t.column());
  }
};
struct dropping_copy : plain_copy {
  static constexpr std::string_view kName = "dropping_copy";
  static constexpr dropping_copy make(index_t n, std::span<const index_t>) { return {{n}}; }
  template <class Access>
  constexpr void run(const lane& t, const Access& a) const {
    a.move(t.column() < n - 1, t.column(), t.column());
  }
};
struct twofold_copy : plain_copy {
  static constexpr std::string_view kName = "twofold_copy";
  static constexpr twofold_copy make(index_t n, std::span<const index_t>) { return {{n}}; }
};
struct other_random : plain_copy {
  static constexpr std::string_view kName = "random";
  static constexpr other_random make(index_t n, std::span<const index_t>) { return {{n}}; }
};

const pattern_registration<plain_copy> plain;
const pattern_registration<dropping_copy> dropping;
const pattern_registration<twofold_copy> first_of_two;
const pattern_registration<twofold_copy> second_of_two;
const pattern_registration<other_random> named_like_a_pattern_of_the_suite;

const kernel_registration accesses_nothing(
    {.name = "accesses_nothing",
     .summary = "names a row that is none",
     .buffers = in_and_out,
     .bytes = copied,
     .run_on_host = [](const auto& a) { double_all(a); },
     .accesses = [](const auto&) { return std::string("strid/copy/f32"); }});

}  // namespace
