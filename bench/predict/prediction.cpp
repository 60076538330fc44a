// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/prediction.hpp"

#include <algorithm>
#include <filesystem>
#include <ranges>

#include "bench/predict/calibration.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {

row_prediction predictor::predict(const program& body, int blocks_per_sm) const {
  return predict(body.profile(), body.totals(), static_cast<double>(body.flops()), blocks_per_sm);
}

row_prediction predictor::predict(const reuse_profile& profile, const launch_totals& totals,
                                  double flops, int blocks_per_sm) const {
  row_prediction result;
  result.totals = totals;
  result.blocks = profile.blocks;
  result.block_threads = profile.block_threads;
  result.rounds = profile.rounds;
  result.blocks_per_sm =
      blocks_per_sm > 0 ? blocks_per_sm : device_.blocks_per_sm(profile.block_threads);
  result.traffic = predict_traffic(profile, totals, device_, result.blocks_per_sm);
  if (device_.time)
    result.time =
        predict_time(profile, totals, result.traffic, device_, result.blocks_per_sm, flops);
  return result;
}

std::vector<row_prediction> predict_on(const program& body, std::span<const predictor> devices) {
  const reuse_profile profile = body.profile();
  const launch_totals totals = body.totals();
  std::vector<row_prediction> result;
  for (const predictor& one : devices)
    result.push_back(one.predict(profile, totals, static_cast<double>(body.flops())));
  return result;
}

predictor named_predictor(const std::string& name_or_file) {
  const bool built_in = name_or_file.find_first_of("/.") == std::string::npos;  // else it is a file
  return {find_device(name_or_file), built_in ? "built in" : name_or_file};
}

std::optional<predictor> choose_predictor(const std::string& wanted, const evidence& facts) {
  if (!wanted.empty()) return predictor(find_device(wanted), wanted);
  const auto fact = [&](std::string_view key) {
    const auto found = std::ranges::find(facts, key, &evidence::value_type::first);
    return found == facts.end() ? std::string() : found->second;
  };
  const std::string uuid = fact("gpu.uuid");
  if (uuid.empty()) return std::nullopt;
  if (const auto path = passport_path(uuid); path && std::filesystem::exists(*path)) {
    try {
      return predictor(find_device(*path), "passport");
    } catch (const usage_error& error) {
      throw usage_error(std::string(error.what()) +
                        "; this is the GPU's passport: --calibrate writes it anew");
    }
  }
  const std::string name = fact("gpu.name"), key = device_key(name);
  std::optional<predictor> same_kind;
  for (const std::string_view known : known_devices()) {
    predictor one(find_device(std::string(known)), "built in");
    if (one.device().name == name) return one;
    if (known == key) same_kind = std::move(one);
  }
  return same_kind;
}

}  // namespace sectorbench
