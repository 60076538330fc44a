// SPDX-License-Identifier: Apache-2.0
#include "bench/lessons/why.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sectorbench {
namespace {

counterfactual change(limit removes, bool eases, double measured, interval predicted) {
  counterfactual one;
  one.change = "a change";
  one.removes = removes;
  one.eases = eases;
  one.measured_gain = measured;
  one.predicted_gain = predicted;
  return one;
}

why_result row_limited_by(limit what, std::vector<counterfactual> changes) {
  why_result result;
  result.row.name = "a/row";
  result.seconds = 1e-3;
  result.predicted.time.emplace();
  result.predicted.time->seconds = {1e-3, 1e-3};
  result.predicted.time->limited_by = what;
  result.changes = std::move(changes);
  return result;
}

TEST(Counterfactual, AgreesToATenthOfEitherEnd) {
  EXPECT_TRUE(change(limit::kL2, true, 2.0, {2.2, 3}).as_predicted());
  EXPECT_FALSE(change(limit::kL2, true, 1.9, {2.2, 3}).as_predicted());
  EXPECT_TRUE(change(limit::kL2, true, 3.3, {2.2, 3}).as_predicted());
  EXPECT_FALSE(change(limit::kL2, true, 3.4, {2.2, 3}).as_predicted());
}

TEST(Counterfactual, MattersWhereTheModelExpectsADifference) {
  EXPECT_TRUE(change(limit::kL2, true, 1, {1.2, 1.2}).matters());
  EXPECT_FALSE(change(limit::kL2, true, 1, {1.05, 1.05}).matters());
  // What makes it worse shall slow it down.
  EXPECT_TRUE(change(limit::kL2, false, 1, {0.8, 0.8}).matters());
  EXPECT_FALSE(change(limit::kL2, false, 1, {1.2, 1.2}).matters());
}

TEST(WhyResult, IsConfirmedByAChangeOfItsOwnLimitOnly) {
  const auto of = [](std::vector<counterfactual> changes) {
    return row_limited_by(limit::kInFlight, std::move(changes)).confirmed();
  };
  EXPECT_EQ(of({}), std::nullopt);
  EXPECT_EQ(of({change(limit::kDramBytes, true, 2, {2, 2})}), std::nullopt);
  EXPECT_EQ(of({change(limit::kInFlight, true, 1.6, {1.62, 1.62})}), true);
  // It helps, but not by what the model says.
  EXPECT_EQ(of({change(limit::kInFlight, true, 1.2, {1.62, 1.62})}), false);
  // The interval allows that it does not help; then it is no confirmation.
  EXPECT_EQ(of({change(limit::kInFlight, true, 1.0, {0.9, 1.6})}), false);
  // Half the blocks have to slow it down.
  EXPECT_EQ(of({change(limit::kInFlight, false, 0.55, {0.57, 0.57})}), true);
  EXPECT_EQ(of({change(limit::kInFlight, false, 1.0, {0.57, 0.57})}), false);
  // One that fails outweighs one that does not.
  EXPECT_EQ(of({change(limit::kInFlight, true, 1.6, {1.62, 1.62}),
                change(limit::kInFlight, false, 1.0, {0.57, 0.57})}),
            false);
}

TEST(WhyResult, OneThatWasNotMeasuredSaysNothing) {
  counterfactual one = change(limit::kInFlight, true, 0, {});
  one.not_measured = "cannot be measured";
  const why_result result = row_limited_by(limit::kInFlight, {one});
  EXPECT_EQ(result.confirmed(), std::nullopt);
  EXPECT_NE(describe({result}).find("not measured: cannot be measured"), std::string::npos);
}

TEST(WhyResult, IsPrintedWithItsVerdicts) {
  const auto good =
      row_limited_by(limit::kInFlight, {change(limit::kInFlight, true, 1.6, {1.62, 1.62})});
  const auto bad =
      row_limited_by(limit::kDramBytes, {change(limit::kDramBytes, true, 1.0, {1.5, 2.0})});
  const auto untested = row_limited_by(limit::kL2, {});
  EXPECT_EQ(describe({good, bad, untested}),
            "a/row: 1.000 ms, predicted 1.000 ms, limited by in_flight\n"
            "  a change  1.60 times as fast, predicted 1.62\n"
            "  confirmed: in_flight\n\n"
            "a/row: 1.000 ms, predicted 1.000 ms, limited by dram_bytes\n"
            "  a change  1.00 times as fast, predicted 1.50 to 2.00  NOT AS PREDICTED\n"
            "  NOT CONFIRMED: dram_bytes\n\n"
            "a/row: 1.000 ms, predicted 1.000 ms, limited by l2\n"
            "  no change concerns l2: not tested\n\n"
            "limited_by confirmed in 1 of 2 rows that have a counterfactual for it (3 rows)\n");
}

}  // namespace
}  // namespace sectorbench
