// SPDX-License-Identifier: Apache-2.0
#include "kernels/own_kernel.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sectorbench {
namespace {

// Two inputs of 10 and 20 bytes, an output and an updated buffer of 12 bytes each.
kernel four_buffers() {
  return {.name = "four",
          .summary = "for a test",
          .buffers =
              [](const kernel_parameters&) {
                return std::vector{input<char>("a", 10), input<char>("b", 20), output<int>("c", 3),
                                   updated<int>("d", 3)};
              },
          .bytes =
              [](const kernel_parameters&) {
                return kernel_bytes{42, 24};
              },
          .run_on_host = [](const kernel_arguments&) {}};
}

class FourBuffers : public testing::Test {
 protected:
  static constexpr index_t kGuard = own_work::kGuardBytes;

  std::string trespass() const { return work_.trespass(before_, after_); }

  const own_kernel kernel_{four_buffers(), "here"};
  const own_work work_{kernel_, {}};
  const kernel_image before_ = work_.filled(1);
  kernel_image after_ = before_;
};

TEST_F(FourBuffers, LieBetweenGuardsAtStartsLikeAllocations) {
  EXPECT_EQ(work_.error(), "");
  // A guard, the first buffer and a guard up to the next multiple, the second and a guard.
  EXPECT_EQ(work_.needs().in, 5 * kGuard);
  EXPECT_EQ(work_.needs().out, 5 * kGuard);
  EXPECT_EQ(work_.held_bytes(), 54);
  EXPECT_EQ(work_.useful_bytes(), 66);
  EXPECT_TRUE(work_.updates());
  EXPECT_EQ(trespass(), "");
}

TEST_F(FourBuffers, AreFilledOtherwiseBySeedAndPlaceAndOutputsArePoisoned) {
  EXPECT_NE(std::memcmp(&before_.in[kGuard], &before_.in[3 * kGuard], 10), 0);
  EXPECT_NE(before_.in, work_.filled(2).in);
  EXPECT_EQ(before_.in, work_.filled(1).in);
  for (int byte = 0; byte < 12; ++byte) EXPECT_EQ(before_.out[kGuard + byte], 0xa5);
}

TEST_F(FourBuffers, EachGuardIsTheNearerBuffers) {
  const auto found = [&](std::vector<unsigned char>& side, index_t at) {
    const unsigned char kept = std::exchange(side[static_cast<std::size_t>(at)], 1);
    const std::string text = trespass();
    side[static_cast<std::size_t>(at)] = kept;
    return text;
  };
  const auto says = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  says(found(after_.in, kGuard - 1), "before 'a'");
  says(found(after_.in, kGuard + 10), "after 'a'");
  says(found(after_.in, 3 * kGuard - 1), "before 'b'");
  says(found(after_.in, 3 * kGuard + 20), "after 'b'");
  says(found(after_.out, 0), "before 'c'");
  says(found(after_.out, kGuard + 12), "after 'c'");
  says(found(after_.out, 5 * kGuard - 1), "after 'd'");
  says(found(after_.in, kGuard + 3), "'a' was written to, first at byte 3");
  EXPECT_EQ(found(after_.out, kGuard + 3), "");  // an output's own bytes
  EXPECT_EQ(found(after_.out, 3 * kGuard + 3), "");
}

TEST_F(FourBuffers, LaunchesDifferInOutputsOnly) {
  EXPECT_EQ(work_.difference(before_, after_), "");
  after_.out[kGuard + 5] ^= 1;
  EXPECT_NE(work_.difference(before_, after_).find("'c' first at byte 5"), std::string::npos);
}

std::string fault_of(const std::string& axis, std::vector<index_t> values) {
  kernel one = four_buffers();
  one.axes = {{axis, std::move(values)}};
  return own_kernel(one, "here").error();
}

TEST(OwnKernel, RowsAreTheCombinationsOfItsAxes) {
  kernel one = four_buffers();
  one.axes = {{"x", {1, 2}}, {"y", {3, 4, 5}}};
  const own_kernel own(one, "here");
  EXPECT_EQ(own.rows().size(), 6U);
  EXPECT_EQ(own.rows().back(), (std::vector<index_t>{2, 5}));
  EXPECT_TRUE(own.takes(std::vector<index_t>{1, 4}));
  EXPECT_FALSE(own.takes(std::vector<index_t>{3, 4}));
  EXPECT_FALSE(own.takes(std::vector<index_t>{1}));
}

TEST(OwnKernel, AxesThatCannotBeAreRefused) {
  EXPECT_EQ(fault_of("columns", {1}), "");
  EXPECT_NE(fault_of("Columns", {1}), "");
  EXPECT_NE(fault_of("a/b", {1}), "");
  EXPECT_NE(fault_of("columns", {}), "");
  for (const char* const taken : {"elements", "block", "gpu"}) EXPECT_NE(fault_of(taken, {1}), "");
}

TEST(OwnKernel, BuffersThatCannotBeAreRefused) {
  const auto error_of = [](index_t count, const char* second) {
    kernel one = four_buffers();
    one.buffers = [=](const kernel_parameters&) {
      return std::vector{input<int>("a", count), output<int>(second, 1)};
    };
    const own_kernel own(one, "here");
    return own_work(own, {}).error();
  };
  EXPECT_EQ(error_of(1, "b"), "");
  EXPECT_NE(error_of(0, "b"), "");
  EXPECT_NE(error_of(-1, "b"), "");
  EXPECT_NE(error_of(index_t{1} << 60, "b"), "");
  EXPECT_NE(error_of(1, "a"), "");
}

TEST(OwnKernel, FloatsMayDifferByTheTolerance) {
  const kernel_buffer buffer = output<float>("y", 3, 0.01);
  const auto compare = [&](float got, float expected) {
    const float a[] = {1, got, 2}, b[] = {1, expected, 2};
    return buffer.compare(reinterpret_cast<const unsigned char*>(a),
                          reinterpret_cast<const unsigned char*>(b));
  };
  EXPECT_EQ(compare(100.5F, 100), "");
  EXPECT_EQ(compare(-99.5F, -100), "");
  EXPECT_NE(compare(102, 100).find("index 1"), std::string::npos);
  EXPECT_NE(compare(NAN, 100), "");
  EXPECT_NE(compare(1e-9F, 0), "");
}

}  // namespace
}  // namespace sectorbench
