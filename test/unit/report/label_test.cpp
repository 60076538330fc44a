// SPDX-License-Identifier: Apache-2.0
#include "bench/report/label.hpp"

#include <gtest/gtest.h>

#include <random>

#include "bench/predict/prediction_metrics.hpp"

namespace sectorbench {
namespace {

TEST(RowLabel, EntriesKeepTheirOrder) {
  row_label label;
  label.add("cache_resident", "l2");
  label.add("mover");
  label.add("gap_share", "2.3 %");
  EXPECT_EQ(label.text(), "cache_resident=l2;mover=1;gap_share=2.3 %");
  EXPECT_EQ(label.value("mover"), "1");
  EXPECT_EQ(label.value("gap"), std::nullopt);
}

TEST(RowLabel, EmptyLabelIsEmptyText) {
  EXPECT_EQ(row_label().text(), "");
  ASSERT_TRUE(row_label::parse(""));
  EXPECT_TRUE(row_label::parse("")->entries().empty());
}

TEST(RowLabel, ForbiddenCharactersOfAValueBecomeUnderscores) {
  row_label label;
  label.add("tool", "a;b=c\"d\\e\x01\xc3`");
  EXPECT_EQ(label.text(), "tool=a_b_c_d_e___");
}

TEST(RowLabel, WhatIsNoLabelIsRefused) {
  for (const char* const text : {"a", "=1", "a=", ";", "a=1;", ";a=1", "a=1;;b=2", "A=1", "a b=1",
                                 "a=1;a=2", "a=1=2", "a=\"", "a=\n", "a=\xc3\xa9"})
    EXPECT_FALSE(row_label::parse(text)) << text;
}

TEST(RowLabel, RandomLabelsComeBackAsTheyWere) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    row_label label;
    for (auto n = random() % 6; n > 0; --n) {
      std::string value;
      for (auto k = random() % 9; k > 0; --k) value += static_cast<char>(random() % 256);
      label.add("key_" + std::to_string(n), value);
    }
    const auto read = row_label::parse(label.text());
    ASSERT_TRUE(read) << label.text();
    EXPECT_EQ(read->entries(), label.entries());
    EXPECT_EQ(read->text(), label.text());
  }
}

// ---- The model's entries

std::string label_of(const row_prediction& model) {
  row_label label;
  add_model_label(label, model);
  return label.text();
}

TEST(ModelLabel, SaysWhatLimitsTheTime) {
  row_prediction model;
  EXPECT_EQ(label_of(model), "") << "there are no figures of time";
  model.time.emplace();
  model.time->limited_by = limit::kDramLocality;
  EXPECT_EQ(label_of(model), "time=calibrated;limited_by=dram_locality");
  model.time->limited_by = limit::kInFlight;
  EXPECT_EQ(label_of(model), "time=calibrated;limited_by=in_flight");
  model.time->scaled = true;
  EXPECT_EQ(label_of(model), "time=scaled;limited_by=in_flight");
}

TEST(ModelLabel, SaysWhatWideTrafficDependsOn) {
  row_prediction model;
  model.traffic.dram_read_bytes = {100, 200};
  EXPECT_EQ(label_of(model), "") << "the GPU is not known well enough, which is neither";
  model.traffic.retention = true;
  EXPECT_EQ(label_of(model), "depends_on=what L2 keeps");
  model.traffic.unsampled = true;
  EXPECT_EQ(label_of(model), "depends_on=pages that were not sampled");
  model.traffic.scheduling = true;
  EXPECT_EQ(label_of(model), "depends_on=scheduling");
  model.time.emplace();
  model.time->limited_by = limit::kL2;
  EXPECT_EQ(label_of(model), "time=calibrated;limited_by=l2;depends_on=scheduling");
}

TEST(ModelLabel, TrafficThatIsOneNumberDependsOnNothing) {
  row_prediction model;
  model.traffic.scheduling = model.traffic.retention = true;
  model.traffic.dram_read_bytes = {100, 105};
  EXPECT_EQ(label_of(model), "");
  model.traffic.dram_read_bytes = {100, 106};
  EXPECT_EQ(label_of(model), "depends_on=scheduling");
}

}  // namespace
}  // namespace sectorbench
