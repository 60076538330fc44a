// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/forecast.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/cases/row_list.hpp"
#include "bench/predict/prediction_metrics.hpp"
#include "bench/report/label.hpp"
#include "bench/support/format.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

constexpr index_t kMostBytes = index_t{1} << 38;  // 256 GiB
constexpr std::size_t kLineWidth = 120;
constexpr double kSameNumber = 1.02;  // ends of an interval that are printed as one number

/// "1.2 ms", or "1.2..3.4 ms" where the ends differ.
std::string either(double low, double high, std::string a, const std::string& b) {
  if (high <= low * kSameNumber) return a;
  const std::string unit = b.substr(std::min(b.find(' '), b.size()));
  if (a.ends_with(unit)) a.resize(a.size() - unit.size());
  return a + ".." + b;
}

std::string three_digits(double value) { return format_significant(value, 3); }

std::string time_text(const interval& seconds) {
  const bool one = seconds.high <= seconds.low * kSameNumber;
  return either(seconds.low, seconds.high, format_time(one ? seconds.middle() : seconds.low, 3),
                format_time(seconds.high, 3));
}

/// Bytes as multiples of one array of the row.
std::string times_array(const interval& bytes, double array) {
  const auto text = [&](double value) { return format_fixed(value / array, 2); };
  return either(bytes.low, bytes.high, text(bytes.low), text(bytes.high));
}

std::string limit_text(const row_prediction& model) {
  const traffic_prediction& traffic = model.traffic;
  const std::string_view cause = traffic.tight()      ? ""
                                 : traffic.scheduling ? "(scheduling)"
                                 : traffic.unsampled  ? "(not sampled)"
                                 : traffic.retention  ? "(what L2 keeps)"
                                                      : "";
  std::string text(model.time ? name_of(model.time->limited_by) : cause.empty() ? "-" : "");
  if (!text.empty() && !cause.empty()) text += " ";
  return text.append(cause);
}

std::string ratio_text(const interval& ratio) {
  if (ratio.high <= 0) return "-";
  if (ratio.low > 0.995 && ratio.high < 1.005) return "1";
  return either(ratio.low, ratio.high, three_digits(ratio.low), three_digits(ratio.high)) + "x";
}

/// @throws not_applicable for what no run takes, and for more than is predicted
void refuse_unpredictable(const workload& work) {
  refuse_unfit(work);
  const program& body = work.meaning();
  const index_t touched = std::max(work.needs().in, work.needs().out);
  const index_t accessed = body.walked_threads() * size_of(body.type());
  if (std::max(touched, accessed) > kMostBytes)
    throw not_applicable("touches " + std::to_string(touched) + " bytes of a buffer by " +
                         std::to_string(body.shape().threads()) + " threads; up to " +
                         std::to_string(kMostBytes) +
                         " bytes and as many of accesses are predicted");
}

}  // namespace

std::vector<forecast_row> forecast(const std::vector<suite_row>& rows,
                                   const std::vector<predictor>& devices) {
  std::vector<forecast_row> result;
  for (const suite_row& row : rows) {
    try {
      if (const auto accessed = accessed_as(row.spec))
        result.push_back({{*accessed, row.name}, {}, {}, {}});
    } catch (const std::runtime_error& reason) {
      result.push_back({row, {}, {}, reason.what()});
    }
  }
  // The stride-1 rows that others are compared with, each once.
  struct outcome {
    std::vector<row_prediction> on;
    std::string skipped;
  };
  std::map<std::string, outcome> known;
  std::vector<row_spec> wanted;
  for (const forecast_row& row : result)
    for (const row_spec& spec : {row.row.spec, stride_one_of(row.row.spec)})
      if (row.skipped.empty() && known.emplace(spec.key(), outcome()).second)
        wanted.push_back(spec);
  std::vector<outcome> predicted(wanted.size());
  omp_set_max_active_levels(2);  // a row that is walked lane by lane needs more than one core
  std::exception_ptr failure;    // an exception must not leave a parallel loop
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    try {
      const auto work = make_workload(wanted[i]);
      refuse_unpredictable(*work);
      predicted[i].on = predict_on(work->meaning(), devices);
    } catch (const not_applicable& reason) {
      predicted[i] = {{}, reason.what()};
    } catch (...) {
#pragma omp critical(forecast_failure)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  for (std::size_t i = 0; i < wanted.size(); ++i) known[wanted[i].key()] = predicted[i];
  for (forecast_row& row : result) {
    if (!row.skipped.empty()) continue;
    row.on = known[row.row.spec.key()].on;
    row.skipped = known[row.row.spec.key()].skipped;
    const auto& stride1 = known[stride_one_of(row.row.spec).key()].on;
    for (std::size_t d = 0; d < row.on.size(); ++d) {
      row.stride1_ratio.emplace_back();
      if (!row.on[d].time || d >= stride1.size()) continue;
      const interval time = row.on[d].time->seconds, of_stride1 = stride1[d].time->seconds;
      const double best = time.low / of_stride1.low, worst = time.high / of_stride1.high;
      row.stride1_ratio.back() = {std::min(best, worst), std::max(best, worst)};
    }
  }
  return result;
}

std::string forecast_table(const std::vector<forecast_row>& rows,
                           const std::vector<predictor>& devices) {
  std::string text = "predictions, nothing was measured:\n";
  for (const predictor& one : devices)
    text += "  " + one.device().key + ": " + one.device().name + " (" + one.source() + ")" +
            (!one.device().time          ? ", whose description has no figures of time"
             : one.device().time->scaled ? ", times scaled from another GPU"
                                         : "") +
            "\n";
  text += "DRAM read and written are in arrays of the row (elements x element size)\n\n";
  const bool several = devices.size() > 1;
  std::vector<std::vector<std::string>> lines{
      {"row", "ld", "st", "time", "GB/s", "/ stride 1", "read", "written", "limited by"}};
  std::vector<bool> left{true, false, false, false, false, false, false, false, true};
  if (several) {
    lines[0].insert(lines[0].begin() + 1, "gpu");
    left.insert(left.begin() + 1, true);
  }
  std::string skipped;
  for (const forecast_row& row : rows) {
    if (row.on.empty()) {
      const char* lead = "";
      for (const std::string& line :
           wrap(row.row.name + " skipped: " + row.skipped, kLineWidth - 4)) {
        skipped.append(lead).append(line).append("\n");
        lead = "    ";
      }
    }
    const row_spec& spec = row.row.spec;
    for (std::size_t d = 0; d < row.on.size(); ++d) {
      const row_prediction& model = row.on[d];
      const auto array = static_cast<double>(spec.buffer_bytes());
      const auto useful = static_cast<double>(useful_bytes(spec)) * 1e-9;
      const auto per_request = [](const side_totals& side) {
        return side.requests == 0 ? std::string("-") : format_fixed(side.sectors_per_request(), 2);
      };
      std::vector<std::string> line{row.row.name};
      if (several) line.push_back(devices[d].device().key);
      line.push_back(per_request(model.totals.loads));
      line.push_back(per_request(model.totals.stores));
      if (model.time) {
        const interval seconds = model.time->seconds;
        line.push_back(time_text(seconds));
        line.push_back(either(seconds.low, seconds.high, three_digits(useful / seconds.high),
                              three_digits(useful / seconds.low)));
      } else {
        line.insert(line.end(), {"-", "-"});
      }
      line.push_back(ratio_text(row.stride1_ratio[d]));
      line.push_back(times_array(model.traffic.dram_read_bytes, array));
      line.push_back(times_array(model.traffic.dram_write_bytes, array));
      line.push_back(limit_text(model));
      lines.push_back(std::move(line));
    }
  }
  return text + (lines.size() > 1 ? aligned(lines, left) : "") + skipped;
}

std::string forecast_json(const std::vector<forecast_row>& rows,
                          const std::vector<predictor>& devices, const evidence& context) {
  nlohmann::ordered_json file;
  auto& record = file["context"];
  for (const auto& [key, value] : context) record[key] = value;
  record["backend"] = "prediction";
  std::string names;
  for (const predictor& one : devices) names += (names.empty() ? "" : ",") + one.device().key;
  record["model.gpu"] = names;
  auto& runs = file["benchmarks"] = nlohmann::ordered_json::array();
  for (const forecast_row& row : rows) {
    if (row.on.empty()) {
      const std::string& name = row.row.name;
      runs.push_back({{"name", name},
                      {"run_name", name},
                      {"run_type", "iteration"},
                      {"repetitions", 1},
                      {"repetition_index", 0},
                      {"threads", 1},
                      {"iterations", 0},
                      {"real_time", 0.0},
                      {"cpu_time", 0.0},
                      {"time_unit", "us"},
                      {"error_occurred", true},
                      {"error_message", "SKIPPED: " + row.skipped},
                      {"label", "predicted=1"}});
    }
    for (std::size_t d = 0; d < row.on.size(); ++d) {
      const row_spec& spec = row.row.spec;
      const row_prediction& model = row.on[d];
      const std::string name =
          row.row.name + (devices.size() > 1 ? "/gpu:" + devices[d].device().key : "");
      // A scaled time has two ends and no number.
      const bool number = model.time && !model.time->scaled;
      const double us = number ? model.time->seconds.middle() * 1e6 : 0;
      nlohmann::ordered_json run{
          {"name", name},     {"run_name", name},      {"run_type", "iteration"},
          {"repetitions", 1}, {"repetition_index", 0}, {"threads", 1},
          {"iterations", 1},  {"real_time", us},       {"cpu_time", us},
          {"time_unit", "us"}};
      const auto work = make_workload(spec);
      counter_values values;
      add_prediction(values, spec, work->meaning().unique_bytes(), &model.totals);
      add_model(values, model, 0);
      for (const auto& [key, value] : values.all())
        if (key != "unexplained") run[key] = value;
      run["useful_bytes"] = useful_bytes(spec);
      run["elements"] = spec.elements;
      row_label label;
      label.add("predicted");
      add_model_label(label, model);
      run["label"] = label.text();
      runs.push_back(std::move(run));
    }
  }
  return file.dump(2) + "\n";
}

}  // namespace sectorbench
