// SPDX-License-Identifier: Apache-2.0
#include "bench/prediction.hpp"

#include <algorithm>
#include <filesystem>
#include <ranges>

#include "bench/calibration.hpp"
#include "bench/text.hpp"

namespace sectorbench {

row_prediction predictor::predict(const program& body, int blocks_per_sm) const {
  row_prediction result;
  const reuse_profile profile = body.profile();
  result.totals = body.totals();
  result.rounds = profile.rounds;
  result.blocks_per_sm =
      blocks_per_sm > 0 ? blocks_per_sm : device_.blocks_per_sm(profile.block_threads);
  result.traffic = predict_traffic(profile, result.totals, device_, result.blocks_per_sm);
  if (device_.time)
    result.time = predict_time(profile, result.totals, result.traffic, device_,
                               result.blocks_per_sm, static_cast<double>(body.flops()));
  return result;
}

std::optional<predictor> choose_predictor(const std::string& wanted, const evidence& facts) {
  if (!wanted.empty()) return predictor(find_device(wanted), wanted);
  const auto fact = [&](std::string_view key) {
    const auto found = std::ranges::find(facts, key, &evidence::value_type::first);
    return found == facts.end() ? std::string() : found->second;
  };
  const std::string uuid = fact("gpu.uuid");
  if (uuid.empty()) return std::nullopt;
  if (const auto path = passport_path(uuid); path && std::filesystem::exists(*path))
    return predictor(find_device(*path), "passport");
  const std::string key = device_key(fact("gpu.name"));
  if (std::ranges::count(known_devices(), key) > 0)
    return predictor(find_device(key), "built in");
  return std::nullopt;
}

}  // namespace sectorbench
