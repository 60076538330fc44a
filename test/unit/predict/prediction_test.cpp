// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/prediction.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

namespace fs = std::filesystem;

/// A cache of its own, in which GPU-1 has a passport of this text.
class ChoosePredictor : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) / ("sectorbench_passport_test_" + std::to_string(getpid()));
    fs::create_directories(folder_ / "sectorbench");
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("XDG_CACHE_HOME");
    fs::remove_all(folder_);
  }
  void write(const std::string& text) const {
    std::ofstream(folder_ / "sectorbench" / "GPU-1.json") << text;
  }
  fs::path folder_;
};

TEST_F(ChoosePredictor, PassportThatLacksFiguresNamesItsRemedy) {
  write(R"({"schema": 1})");
  try {
    choose_predictor("", {{"gpu.uuid", "GPU-1"}});
    FAIL() << "accepted";
  } catch (const usage_error& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("GPU-1.json: key: missing"), std::string::npos) << said;
    EXPECT_TRUE(said.ends_with("; this is the GPU's passport: --calibrate writes it anew")) << said;
  }
}

TEST_F(ChoosePredictor, AnotherGpuIsPredictedByItsBuiltInDescription) {
  write(R"({"schema": 1})");
  const auto found = choose_predictor("", {{"gpu.uuid", "GPU-2"}, {"gpu.name", "NVIDIA H200"}});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->device().key, "h200");
  const auto key_of = [](const char* name) {
    return choose_predictor("", {{"gpu.uuid", "GPU-2"}, {"gpu.name", name}})->device().key;
  };
  EXPECT_EQ(key_of("NVIDIA H100 PCIe"), "h100_pcie");
  EXPECT_EQ(key_of("NVIDIA A100-SXM4-80GB"), "a100_80");
  EXPECT_EQ(key_of("Tesla V100-PCIE-32GB"), "v100") << "a board of the same GPU";
  EXPECT_FALSE(choose_predictor("", {{"gpu.uuid", "GPU-2"}, {"gpu.name", "Unknown"}}));
  EXPECT_FALSE(choose_predictor("", {}));
}

}  // namespace
}  // namespace sectorbench
