// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/devices/backend.hpp"
#include "bench/predict/device_file.hpp"
#include "sectorbench/execution/workload.hpp"
#include "sectorbench/model/time_model.hpp"
#include "sectorbench/model/traffic_model.hpp"

namespace sectorbench {

/// What the model says of one row on one GPU.
struct row_prediction {
  launch_totals totals;
  traffic_prediction traffic;
  std::optional<time_prediction> time;  ///< none where the description has no figures of time
  index_t blocks = 0;                   ///< of the launch
  int block_threads = 0;
  int rounds = 0;  ///< times that a thread waits for loads
  int blocks_per_sm = 0;
  bool counted = false;  ///< it follows from what was counted and measured, and predicts nothing
};

/// Predicts rows for one GPU.
class predictor {
 public:
  /// @param source what the description comes from, as the record says it: "built in", a path
  predictor(device_description device, std::string source)
      : device_(std::move(device)), source_(std::move(source)) {}

  const device_description& device() const { return device_; }
  const std::string& source() const { return source_; }

  /// @param blocks_per_sm of the kernel, if it is known; else as many as its threads allow
  /// @pre the program is no mover
  row_prediction predict(const program& body, int blocks_per_sm = 0) const;
  /// From a profile and totals that are there already.
  row_prediction predict(const reuse_profile& profile, const launch_totals& totals, double flops,
                         int blocks_per_sm = 0) const;

 private:
  device_description device_;
  std::string source_;
};

/// The same row on several GPUs; what does not depend on the GPU is worked out once.
std::vector<row_prediction> predict_on(const program& body, std::span<const predictor> devices);

/// The one that --gpu= names. @throws usage_error
predictor named_predictor(const std::string& name_or_file);

/// The description that a run on this GPU takes: the one that --gpu= names, else the passport that
/// a calibration left in the user's cache, else the built-in one of that name; none if there is
/// none.
/// @param wanted what --gpu= says, or empty @param facts of the GPU @throws usage_error
std::optional<predictor> choose_predictor(const std::string& wanted, const evidence& facts);

}  // namespace sectorbench
