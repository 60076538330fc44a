// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/explain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "bench/report/counters.hpp"
#include "bench/support/format.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

constexpr double kWasteful = 1.1;     // of what is needed: less is not worth a sentence
constexpr double kWholeSector = 31;   // bytes: as good as all 32
constexpr double kAgrees = 0.1;       // share by which a time may differ from a predicted number
constexpr double kSame = 1.01;        // ends of an interval that are as good as one number
constexpr double kBytesAgree = 0.05;  // the same of bytes, beyond the bounds

// ---- Numbers

std::string trimmed(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  while (number.back() == '0') number.pop_back();
  if (number.back() == '.') number.pop_back();
  return number;
}

/// A count or a factor as one says it: "24", "10.7", "0.05".
std::string plain(double value) {
  const double size = std::abs(value);
  return trimmed(format_fixed(value, size < 0.995 ? 2 : size < 99.95 ? 1 : 0));
}

/// Three digits: "1.48", "148".
std::string three_digits(double value) {
  const double size = std::abs(value);
  return format_fixed(value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

std::string time_text(double seconds) { return format_time(seconds, 3); }

std::string rate_text(double bytes_per_s) {
  return bytes_per_s >= 0.9995e12 ? three_digits(bytes_per_s * 1e-12) + " TB/s"
                                  : three_digits(bytes_per_s * 1e-9) + " GB/s";
}

/// "2.1 million"; up to 9999 as it is.
std::string count_text(double count) {
  if (count < 9999.5) return plain(count);
  constexpr std::array<std::pair<double, std::string_view>, 4> kUnits{
      {{1e12, " trillion"}, {1e9, " billion"}, {1e6, " million"}, {1e3, " thousand"}}};
  for (const auto& [unit, name] : kUnits)
    if (count >= 0.9995 * unit) return trimmed(three_digits(count / unit)).append(name);
  return {};
}

/// "1 byte", "4 bytes".
std::string bytes_count(double bytes) {
  const std::string count = plain(bytes);
  return count + (count == "1" ? " byte" : " bytes");
}

/// "1 sector", "32 sectors".
std::string sectors_count(double sectors) {
  const std::string count = plain(sectors);
  return count + (count == "1" ? " sector" : " sectors");
}

/// In binary units: "256 MiB", "1.03 MiB", "12 bytes".
std::string bytes_text(double bytes) {
  constexpr std::array<std::pair<double, std::string_view>, 4> kUnits{
      {{0x1p40, " TiB"}, {0x1p30, " GiB"}, {0x1p20, " MiB"}, {0x1p10, " KiB"}}};
  for (const auto& [unit, name] : kUnits)
    if (bytes >= 0.9995 * unit) return trimmed(three_digits(bytes / unit)).append(name);
  return bytes_count(bytes);
}

/// "3 ms", or "between 3 and 4 ms" where the ends differ as written.
template <class Text>
std::string between(const interval& of, const Text& text) {
  if (of.high <= kSame * of.low) return text(of.middle());
  std::string low = text(of.low);
  const std::string high = text(of.high);
  if (low == high) return low;
  const auto unit = [](const std::string& of_text) {
    return of_text.substr(std::min(of_text.find(' '), of_text.size()));
  };
  if (unit(low) == unit(high)) low.erase(low.size() - unit(low).size());
  return "between " + low + " and " + high;
}
std::string between_times(const interval& seconds) { return between(seconds, time_text); }

std::string percent(double fraction) {
  return format_percent(fraction, fraction < 0.00995 ? 1 : 0);
}

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

// ---- The explanation

/// One side of a launch.
struct moved_side {
  double asked = 0;     ///< bytes that threads ask for
  double distinct = 0;  ///< of them: what has to cross DRAM once
  double extent = 0;    ///< bytes from the first to the last
  side_totals totals{};
  interval dram;  ///< bytes

  bool any() const { return totals.requests > 0; }
  double sector_bytes() const { return static_cast<double>(totals.sectors) * kSectorBytes; }
  /// Bytes that a request uses of a sector, on average.
  double of_sector() const {
    return std::min(double{kSectorBytes}, asked / static_cast<double>(totals.sectors));
  }
  /// Whether requests leave bytes of their sectors alone, more than a start off alignment does.
  bool partial() const { return any() && of_sector() < 0.7 * kSectorBytes; }
  /// Whether there are bytes between those that the launch moves.
  bool has_gaps() const { return partial() && extent > kWasteful * distinct; }
};

class explainer {
 public:
  explainer(const row_spec& row, const program& body, const row_prediction& prediction,
            const device_description& device, const measured_row& measured)
      : explainer(prediction, device, measured) {
    name_ = "the array";
    array_ = static_cast<double>(row.buffer_bytes());
    access_ = size_of(row.type) * body.together();
    flops_ = static_cast<double>(body.flops());
    block_rows_ = body.shape().block.y;
    const auto side = [&](const side_extent& extent, const side_totals& totals) {
      moved_side moved;
      moved.totals = totals;
      if (totals.requests == 0) return moved;
      moved.asked = static_cast<double>(extent.moved() * size_of(row.type));
      moved.distinct = static_cast<double>(extent.touched_once() * size_of(row.type));
      moved.extent = static_cast<double>(extent.elements * size_of(row.type));
      return moved;
    };
    list_ = static_cast<double>(body.indices()) * sizeof(index_entry);
    move(side(body.loads(), prediction.totals.loads),
         side(body.stores(), prediction.totals.stores));
  }

  explainer(const counted_launch& launch, const row_prediction& limits,
            const device_description& device, const measured_row& measured)
      : explainer(limits, device, measured) {
    name_ = "the useful bytes";
    array_ = launch.useful_bytes();
    const auto side = [](const std::optional<double>& useful, const side_totals& totals) {
      moved_side moved;
      moved.totals = totals;
      moved.asked = moved.distinct =
          useful.value_or(static_cast<double>(totals.sectors) * kSectorBytes);
      return moved;
    };
    move(side(launch.loaded_bytes, limits.totals.loads),
         side(launch.stored_bytes, limits.totals.stores));
  }

  std::vector<std::string> explain() {
    if (!in_dram() && !(prediction_.counted && traffic_.footprint_bytes <= 0)) cached();
    if (prediction_.time) {
      limited();
    } else {
      traffic();
      conflicts();
      say("The description of " + device_.name +
          " has no figures of time, so this says what is moved, and not how long that takes.");
      if (worst_banks().conflicts > 0)
        padding();
      else if (wasteful() || in_part())
        whole_sectors();
    }
    compare();
    return std::move(sentences_);
  }

 private:
  explainer(const row_prediction& prediction, const device_description& device,
            const measured_row& measured)
      : prediction_(prediction),
        traffic_(prediction.traffic),
        device_(device),
        measured_(measured),
        total_(traffic_.dram_bytes()),
        fills_(traffic_.fill_sectors * kSectorBytes),
        blocks_(static_cast<double>(prediction.blocks)),
        block_threads_(prediction.block_threads) {}

  void move(const moved_side& loads, const moved_side& stores) {
    loads_ = loads;
    stores_ = stores;
    stores_.dram = traffic_.dram_write_bytes;
    // Loads of the list are dense.
    const interval read = traffic_.dram_read_bytes;
    loads_.dram = {std::max(0.0, read.low - fills_.low - std::min(list_, read.low)),
                   std::max(0.0, read.high - fills_.high - std::min(list_, read.high))};
    best_ = loads_.distinct + stores_.distinct + list_;
  }

  void say(std::string sentence) { sentences_.push_back(std::move(sentence)); }

  /// Whether anything is known to cross DRAM, or depends on more than what L2 writes back now and
  /// then.
  bool in_dram() const {
    return total_.low > 0.01 * best_ ||
           (total_.high > 0.01 * best_ &&
            (traffic_.scheduling || traffic_.retention || traffic_.unsampled));
  }
  bool wasteful() const { return in_dram() && total_.high > kWasteful * best_; }
  bool uncertain() const { return !traffic_.tight(); }
  bool in_part() const { return loads_.partial() || stores_.partial(); }
  const time_terms& terms() const { return prediction_.time->terms; }
  interval bus() const { return larger(terms().dram, terms().locality); }

  /// "the array (256 MiB)", later "the array".
  std::string array() {
    return std::exchange(array_said_, true) ? name_ : name_ + " (" + bytes_text(array_) + ")";
  }
  std::string factor(double bytes) const { return plain(bytes / array_); }
  std::string factors(const interval& bytes) const {
    return between(bytes, [&](double b) { return factor(b); });
  }
  std::string times_array(const interval& bytes) {
    const std::string times = factors(bytes);
    return (times == "1" ? "once " : times + " times ") + array();
  }

  /// " of the 1.48 ms predicted", where that is one number; `say_cost` says the ends of others.
  std::string of_predicted() const {
    if (!prediction_.time->is_number()) return {};
    return " of the " + time_text(prediction_.time->seconds.middle()) +
           (prediction_.counted ? " measured" : " predicted");
  }

  /// What can take longest at worst, where the time is no number; its time.
  std::pair<std::string, double> worst() const {
    const bool waits = terms().in_flight.middle() > kSame * bus().middle();
    const interval banks = terms().banks;
    const std::array<std::pair<std::string, double>, 5> uses{{
        {"what crosses DRAM takes ", terms().dram.high},
        {"DRAM is slower, as what is used lies " + apart() + ", and takes ", terms().locality.high},
        {"waiting for what is loaded takes ", waits ? terms().in_flight.high : 0},
        {"serving and taking all sectors of 32 bytes in L2 takes ", terms().l2.high},
        {"moving first and passing over the banks then takes ",
         banks.high > 0 && banks.low > bus().low ? banks.high + terms().dram.high : 0},
    }};
    double most = 0;
    for (const auto& [what, seconds] : uses) most = std::max(most, seconds);
    return *std::ranges::find_if(uses, [&](const auto& use) { return use.second * kSame >= most; });
  }

  std::string ends() const {
    return "with a margin, the launch is predicted to take " +
           between_times(prediction_.time->seconds);
  }

  /// Says what takes `limit`, and of a time that is no number both ends and what is longest at
  /// worst.
  void say_cost(const std::string& text, const interval& limit) {
    if (prediction_.time->is_number()) return say(text + ".");
    const auto [what, seconds] = worst();
    if (seconds <= kWasteful * limit.high) return say(text + "; " + ends() + ".");
    say(text + ".");
    say("At worst " + what + time_text(seconds) + "; " + ends() + ".");
  }

  // ---- What is moved

  void cached() {
    say("The working set of " + bytes_text(traffic_.footprint_bytes) +
        " stays in L2 (the cache in front of DRAM, " + bytes_text(device_.l2_bytes) +
        "), so nothing has to be fetched from DRAM, the GPU's memory, and the row says nothing of "
        "it.");
  }

  /// What crosses DRAM, and why more than has to.
  void traffic() {
    if (!in_dram()) return;
    if (uncertain()) {
      uncertain_traffic();
    } else if (!wasteful()) {
      if (total_.low < best_ / kWasteful)
        say("L2 (the cache in front of DRAM) keeps a part of what is wanted again: only " +
            times_array(total_) + " crosses DRAM.");
      else
        say("Nothing is wasted: what crosses DRAM is what the threads ask for, " +
            times_array(total_) + ".");
    } else {
      certain_waste();
    }
  }

  /// One number of bytes, more than has to be.
  void certain_waste() {
    const bool fills = fills_.low > 0.01 * stores_.distinct;
    const bool granules = fetches_granules();
    const bool load_waste = loads_.dram.low > kWasteful * loads_.distinct;
    const std::string loads_of_sector =
        load_waste && !granules && loads_.partial()
            ? " of loads that use " + plain(loads_.of_sector()) + " bytes of each"
            : " of loads";
    if (fills) {
      std::string text = "Each store covers " + plain(stores_.of_sector()) +
                         " of the 32 bytes of a sector (what the caches move at once), so L2 reads "
                         "it first (a fill): " +
                         times_array(fills_) + " of fills";
      if (loads_.any() && !granules)
        text += ", beside " + factors(loads_.dram) + loads_of_sector + " and " +
                factors(stores_.dram) + " of writes.";
      else
        text += " and " + factors(stores_.dram) + " of writes.";
      say(text);
    } else if (stores_.dram.low > kWasteful * stores_.distinct) {
      say("Each store covers " + plain(stores_.of_sector()) +
          " of the 32 bytes of a sector (what the caches move at once), and whole sectors are "
          "written: " +
          times_array(stores_.dram) + " of writes" +
          (loads_.any() && !granules ? ", beside " + factors(loads_.dram) + loads_of_sector : "") +
          ".");
    } else if (load_waste && !granules) {
      if (loads_.partial())
        say("Each load uses " + plain(loads_.of_sector()) +
            " of the 32 bytes of a sector (what the caches move at once): " +
            times_array(loads_.dram) + " of loads, where " + factor(loads_.distinct) +
            " would do.");
      else
        say("What was loaded is lost from L2 (the cache in front of DRAM) and loaded again: " +
            times_array(loads_.dram) + " of loads, where " + factor(loads_.distinct) +
            " would do.");
    }
    if (granules) granule();
    if (list_ > 0)
      say("The index list itself, of 4 bytes an entry, adds " + factor(list_) +
          " to what is loaded.");
  }
  bool fetches_granules() const {
    return device_.read_granule.low > kSectorBytes && loads_.partial() &&
           loads_.dram.low > 1.05 * loads_.sector_bytes();
  }
  void granule() {
    const double bytes = device_.read_granule.low;
    say("A load of what L2 does not have fetches a granule of " + plain(bytes) +
        " bytes (the least that L2 reads from DRAM), of which " +
        between(interval{bytes * loads_.asked / loads_.dram.high,
                         bytes * loads_.asked / loads_.dram.low},
                plain) +
        " are used: " + times_array(loads_.dram) + " of loads.");
  }

  /// Bytes between two ends.
  void uncertain_traffic() {
    if (in_part()) sectors_of_requests();
    std::vector<std::string> causes;
    if (traffic_.scheduling) causes.emplace_back("on the order in which blocks run");
    if (traffic_.retention) causes.emplace_back("on how much L2 keeps");
    if (traffic_.unsampled)
      causes.emplace_back("on parts of an array that the model, which takes samples, has not seen");
    if (!device_.fills.exact() && stores_.partial())
      causes.emplace_back("on whether the memory corrects errors (ECC)");
    if (!device_.read_granule.exact() && loads_.partial())
      causes.emplace_back("on whether a load fetches " + plain(device_.read_granule.low) + " or " +
                          plain(device_.read_granule.high) + " bytes");
    const std::string what =
        in_part() ? "Whether L2 (a cache) still has a sector when its other bytes "
                    "are wanted depends "
                  : "How much of its working set of " + bytes_text(traffic_.footprint_bytes) +
                        " the launch finds in L2 (the cache in front of DRAM) depends ";
    const bool by_caches = traffic_.scheduling || traffic_.retention;
    say((by_caches ? what : "What crosses DRAM depends ") + listed(causes) + ": " +
        times_array(total_) + " crosses DRAM" + would_do() + ".");
    if (fetches_granules()) granule();
    if (fills_.high > 0.01 * stores_.distinct)
      say(factors_upper() + " times " + name_ +
          " of that are fills: L2 reads a sector that is only "
          "partly written before it writes it back.");
  }
  /// ", where 3 would do (1 for the index list)".
  std::string would_do() const {
    if (!wasteful()) return {};
    return ", where " + factor(best_) + " would do" +
           (list_ > 0 ? " (" + factor(list_) + " for the index list)" : std::string());
  }
  /// "Up to 8", "Between 7.1 and 8", "8" of the fills.
  std::string factors_upper() const {
    if (fills_.low < 0.01 * stores_.distinct) return "Up to " + factor(fills_.high);
    std::string text = factors(fills_);
    if (text.front() == 'b') text.front() = 'B';
    return text;
  }

  double per_thread(const moved_side& side) const { return side.asked / threads(); }
  double threads() const { return blocks_ * block_threads_; }
  /// Whether each thread moves several elements of which a request takes one, on all sides.
  bool walks(const moved_side& side) const {
    return !prediction_.counted && loads_.partial() == stores_.partial() &&
           per_thread(side) >= 1.9 * access_ && side.totals.sectors_per_request() > 1;
  }

  void conflicts() {
    const auto worst = worst_banks();
    if (worst.conflicts > 0) banks(worst);
  }

  // ---- What limits

  void limited() {
    switch (prediction_.time->limited_by) {
      case limit::kDramBytes:
        traffic();
        dram_bytes();
        wasteful() ? whole_sectors() : fewer_bytes();
        break;
      case limit::kDramLocality:
        traffic();
        locality();
        if (in_part())
          whole_sectors();
        else
          say("Let blocks that run at the same time (neighbours in the launch) work on "
              "neighbouring addresses.");
        break;
      case limit::kInFlight:
        traffic();
        in_flight();
        break;
      case limit::kL2:
        l2();
        break;
      case limit::kRequests:
      case limit::kL1:
        lines();
        break;
      case limit::kBankConflicts:
        if (uncertain()) traffic();
        banks(worst_banks());
        say_cost("All passes take " + between_times(terms().banks) + of_predicted() + alone(),
                 terms().banks);
        if (worst_banks().conflicts > 0)
          padding();
        else
          say("Stage fewer values, or keep them in registers: the passes are as few as they can "
              "be.");
        break;
      case limit::kLaunch:
        starts();
        break;
      case limit::kArithmetic:
        say_cost("The " + count_text(flops_) + " floating-point operations of the launch take " +
                     between_times(terms().arithmetic) + of_predicted() + ", at " +
                     between(device_.time->f32_flops, count_text) + " a second" + alone(),
                 terms().arithmetic);
        say("Fewer or cheaper operations help; another order of the accesses does not.");
        break;
      case limit::kIssue:
        issue();
        break;
    }
  }

  static interval rates(const interval& bytes, const interval& seconds) {
    const double best = bytes.low / seconds.low, worst = bytes.high / seconds.high;
    return {std::min(best, worst), std::max(best, worst)};
  }
  std::string dram_rates() const { return between(rates(total_, terms().dram), rate_text); }
  /// ", where DRAM alone would need 125 us".
  std::string alone() const {
    if (!in_dram()) return {};
    return ", where DRAM alone would need " +
           (total_.low > 0 ? between_times(bus()) : "at most " + time_text(bus().high));
  }
  void dram_bytes() {
    const interval seconds = terms().dram;
    if (total_.low == 0)
      say_cost("At most that takes " + time_text(seconds.high), seconds);
    else if (uncertain())
      say_cost("That takes " + between_times(seconds) + " at " + dram_rates(), seconds);
    else if (wasteful())
      say_cost("The launch moves " + factors(total_) + " times " + name_ +
                   " through DRAM instead of " + factor(best_) + ", and that alone takes " +
                   between_times(seconds) + of_predicted() + ", at " + dram_rates(),
               seconds);
    else
      say_cost("That takes " + between_times(seconds) + of_predicted() + ", at " + dram_rates() +
                   " or " +
                   between(rates(total_, seconds) * (1 / device_.dram_bytes_per_s), percent) +
                   " of the memory bus's peak" +
                   (device_.time->scaled ? ", which is scaled from another GPU and not measured"
                                         : ": DRAM gives no more"),
               seconds);
  }
  /// "128 bytes apart": from what is used to the next.
  std::string apart() const {
    const double loads = traffic_.load_spacing, stores = traffic_.store_spacing;
    interval both{std::min(loads, stores), std::max(loads, stores)};
    if (!loads_.any() || (stores_.partial() && !loads_.partial())) both = interval::exactly(stores);
    if (!stores_.any() || (loads_.partial() && !stores_.partial())) both = interval::exactly(loads);
    return between(both, plain) + " bytes apart";
  }
  void locality() {
    if (prediction_.counted)
      return say_cost("What is used at a time lies far apart, and DRAM then gives only " +
                          rate_text(total_.middle() / prediction_.time->seconds.middle()) +
                          ": as dense traffic it would take " + between_times(terms().dram) +
                          of_predicted(),
                      terms().dram);
    say("What is used at a time lies " + apart() + ", and DRAM then gives only " +
        locality_rates() + " instead of " + rate_text(total_.high / terms().dram.high) + ".");
    say_cost("So " +
                 (uncertain()
                      ? std::string("what crosses DRAM takes ")
                      : factors(total_) + " times " + name_ +
                            (wasteful() ? ", instead of " + factor(best_) + ", take " : " take ")) +
                 between_times(terms().locality) + of_predicted(),
             terms().locality);
  }
  std::string locality_rates() const {
    const interval seconds = terms().locality;
    if (total_.low == 0) return "up to " + rate_text(total_.high / seconds.high);
    // The fastest at best, the slowest at worst.
    return between(rates(total_, seconds), rate_text);
  }

  /// A launch of which nothing that was counted is near what the GPU can do.
  void waits() {
    const auto share = [&](const interval& term) {
      return percent(term.middle() / prediction_.time->seconds.middle());
    };
    say("Nothing that was counted is near what the GPU can do: the traffic of DRAM takes " +
        share(terms().dram) + ", that of L2 " + share(terms().l2) + of_predicted() +
        ". So the launch waits for what is under way.");
    const auto warps = metric_of(measured_.metrics, "warps_active_percent_measured");
    if (warps && *warps < 50)
      say("An SM that works holds only " + percent(*warps / 100) +
          " of the warps that it could: launch more or larger blocks, or let a thread take fewer "
          "registers and a block less shared memory.");
    else
      say("Let each thread begin several loads before it waits for the first (unroll by four), and "
          "16 bytes with each.");
  }

  void issue() {
    if (const auto busy = measured_.metrics.find(kExecutionMetric);
        busy != measured_.metrics.end()) {
      say("The SMs execute at " + percent(busy->second / 100) +
          " of the rate of the pipe that they use most (arithmetic, tensor cores, issue)" +
          alone() + ".");
      return say("Fewer or cheaper operations help; another order of the accesses does not.");
    }
    const double instructions = metric_of(measured_.metrics, "instructions_measured").value_or(0);
    say_cost("To issue the " + count_text(instructions) + " instructions of its warps, " +
                 plain(instructions * kWarpLanes / array_) +
                 " of threads for each useful byte, takes " + between_times(terms().issue) +
                 of_predicted() + alone(),
             terms().issue);
    say("Do with fewer instructions: wider loads and stores, less arithmetic for addresses, loops "
        "that are unrolled.");
  }

  void in_flight() {
    if (prediction_.counted) return waits();
    if (loads_.asked + list_ == 0) return stores_in_flight();
    const double places = std::min(
        blocks_, static_cast<double>(device_.sms) * std::max(1, prediction_.blocks_per_sm));
    const double rounds = std::max(1, prediction_.rounds);
    const double generations = std::max(1.0, blocks_ / places);
    const double loaded = loads_.asked + list_;
    const double each = loaded / threads() / rounds;
    const std::string waits =
        rounds > 1 ? " and waits " + plain(rounds) + " times, one after the other" : "";
    const interval life = terms().in_flight * (1 / generations);
    const std::string under_way = bytes_text(each * places * block_threads_);
    say("Each thread has only " + bytes_count(each) + " under way at a time" + waits + ": the " +
        count_text(places * block_threads_) + " threads that run at once ask for " + under_way +
        ", and " + between_times(life) + " pass until the next take their place.");
    say_cost("So loads come at " +
                 between(interval{loaded / terms().in_flight.high, loaded / terms().in_flight.low},
                         rate_text) +
                 " (bytes under way over the time that passes), which takes " +
                 between_times(terms().in_flight) + of_predicted() + alone(),
             terms().in_flight);
    if (idle_lanes())
      busy_lanes();
    else if (access_ < 16 && rounds <= 1)
      say("Load 16 bytes a thread at once, or let each thread load four values before it uses "
          "the first (unroll by four).");
    else if (rounds > 1 && list_ == 0)
      say("Let each thread begin several loads before it waits for the first (unroll by four), and "
          "16 bytes with each.");
    else if (list_ > 0)
      say("Let each thread load four entries of the list, and then four elements, before it waits "
          "(unroll by four).");
    else
      say("Let each thread begin four loads before it waits for the first (unroll by four).");
  }

  void stores_in_flight() {
    const double running = std::min(blocks_, static_cast<double>(device_.sms) *
                                                 std::max(1, prediction_.blocks_per_sm)) *
                           block_threads_;
    say_cost("Each thread stores only " + bytes_count(stores_.asked / threads()) + ", and blocks " +
                 "start and end too slowly for more: " + count_text(running) +
                 " threads run at once, and replacing them again and again takes " +
                 between_times(terms().in_flight) + of_predicted() + alone(),
             terms().in_flight);
    say("Let each thread store 16 bytes at once, or several values.");
  }

  /// "With each load a warp ... touches 32 sectors": of the side whose sectors are used in part.
  void sectors_of_requests() {
    const moved_side& side = stores_.partial() ? stores_ : loads_;
    const bool both = stores_.partial() && loads_.partial();
    const std::string access = both ? "load and store" : stores_.partial() ? "store" : "load";
    say("With each " + access + " a warp (32 threads that go together) touches " +
        sectors_count(side.totals.sectors_per_request()) +
        " (32 bytes each, what the caches move at once) and uses " + bytes_count(side.of_sector()) +
        " of each" +
        (walks(side) ? ", as each thread walks " + bytes_count(per_thread(side)) + " of its own"
                     : std::string()) +
        ".");
  }
  void l2() {
    if (uncertain() && in_dram())
      traffic();
    else if (in_part())
      sectors_of_requests();
    else
      say("Nothing is wasted: with each access a warp (32 threads that go together) uses whole "
          "sectors (the 32 bytes that caches move at once).");
    const interval sectors = traffic_.l2_read_sectors + traffic_.l2_write_sectors;
    say_cost("L2 (the cache in front of DRAM) has to serve " + between(sectors, count_text) +
                 " sectors of 32 bytes, which takes " + between_times(terms().l2) + of_predicted() +
                 alone(),
             terms().l2);
    in_part() ? whole_sectors() : fewer_bytes();
  }

  void lines() {
    if (uncertain()) traffic();
    const interval seconds = terms().l1;
    const std::string all =
        count_text(static_cast<double>(loads_.totals.lines + prediction_.totals.indices.lines)) +
        " lines";
    if (const auto [what, longest] = worst(); uncertain() && in_dram() &&
                                              !prediction_.time->is_number() &&
                                              longest > kWasteful * seconds.high) {
      say("At best L1 (the cache beside the threads) takes " + time_text(seconds.low) +
          " to look up " + all + " of 128 bytes; at worst " + what + time_text(longest) + "; " +
          ends() + ".");
      return loads_remedy();
    }
    const side_totals& of = loads_.totals.lines > 0 ? loads_.totals : prediction_.totals.indices;
    say("L1 (the cache beside the threads) looks up lines of 128 bytes, one "
        "after the other, and a warp (32 threads that go together) touches " +
        std::string(prediction_.counted ? "at least " : "") + plain(of.lines_per_request()) +
        " with each load.");
    say_cost("All " + all + " take " + between_times(seconds) + of_predicted() + alone(), seconds);
    loads_remedy();
  }
  void loads_remedy() {
    if (loads_.partial())
      whole_sectors();
    else
      say("Load 16 bytes a thread at once, or keep in registers what is loaded again.");
  }

  /// Lanes of a warp that move something, on average over its requests.
  double lanes() const {
    const moved_side& side = loads_.any() ? loads_ : stores_;
    return side.asked / access_ / static_cast<double>(side.totals.requests);
  }
  bool idle_lanes() const { return !prediction_.counted && lanes() < 0.75 * kWarpLanes; }
  void busy_lanes() {
    say("Only " + plain(lanes()) +
        " of a warp's 32 threads move something: give the others work "
        "too.");
  }

  struct passes_of {
    shared_totals totals;
    std::string_view access;
    double conflicts = 0;
    double per(std::uint64_t count) const {
      return totals.requests == 0
                 ? 0
                 : static_cast<double>(count) / static_cast<double>(totals.requests);
    }
    double passes() const { return per(totals.wavefronts); }
    double least() const { return per(totals.wavefronts - totals.conflicts); }
  };
  /// Of loads and stores of staged values those with more conflicts.
  passes_of worst_banks() const {
    const shared_totals& loads = prediction_.totals.slot_loads;
    const shared_totals& stores = prediction_.totals.slot_stores;
    const bool stored = stores.conflicts > loads.conflicts;
    const shared_totals& of = stored ? stores : loads;
    return {of, stored ? "store" : "load", static_cast<double>(of.conflicts)};
  }
  void banks(const passes_of& of) {
    say("Shared memory (a block's own) has 32 banks, each of which serves one word of 4 bytes in a "
        "pass; a warp's " +
        std::string(of.access) + " of staged values takes " + plain(of.passes()) +
        " passes, where " + plain(of.least()) + " would do without conflicts.");
  }

  void padding() {
    say("Make each row of the staged tile one element longer (padding), so that the threads meet "
        "different banks: " +
        plain(worst_banks().passes()) + " passes become " + plain(worst_banks().least()) + ".");
  }

  void starts() {
    if (uncertain() && in_dram()) traffic();
    const double warps = blocks_ * ((block_threads_ + kWarpLanes - 1) / kWarpLanes);
    const double moved = loads_.asked + stores_.asked;
    if (terms().starts.low < terms().launch.low) {
      say_cost("The launch itself, with its first and last accesses, takes " +
                   between_times(terms().launch) + of_predicted() + ", longer than moving its " +
                   bytes_text(moved),
               terms().launch);
      say("Give a launch more to do: larger arrays, or several steps in one kernel.");
      return;
    }
    const bool by_blocks = blocks_ / device_.time->blocks_started_per_s.low >=
                           warps / device_.time->warps_started_per_s.low;
    const double started = by_blocks ? blocks_ : warps;
    say("The launch starts " + count_text(started) +
        (by_blocks ? " blocks" : " warps (32 threads that go together)") +
        ", each of which moves only " + bytes_text(moved / started) +
        ", and the GPU starts at most " +
        between(by_blocks ? device_.time->blocks_started_per_s : device_.time->warps_started_per_s,
                count_text) +
        " a second.");
    say_cost("Starting them takes " + between_times(terms().starts) + of_predicted() + alone(),
             terms().starts);
    if (idle_lanes())
      busy_lanes();
    else if (by_blocks && block_threads_ < 256)
      say("Make blocks of 256 threads, or let each thread move more: several elements, or a wider "
          "type.");
    else
      say("Let each thread move more: several elements, or a wider type.");
  }

  // ---- What helps

  /// ": 24 become 2.", of what crosses DRAM.
  std::string becomes() const {
    return wasteful() ? ": " + (uncertain() ? "up to " + factor(total_.high) : factors(total_)) +
                            " times " + name_ + " become " + factor(best_) + "."
                      : ".";
  }
  void whole_sectors() {
    if (list_ > 0)
      say("Sort the list, so that neighbouring threads take neighbouring elements" + becomes());
    else if (prediction_.counted && in_part())
      say("Let neighbouring threads take neighbouring elements, or stage a tile through shared "
          "memory, so that a warp uses whole sectors" +
          becomes());
    else if (loads_.has_gaps() || stores_.has_gaps())
      say("Keep the elements that are moved beside each other (an array for each field of a "
          "structure)" +
          becomes());
    else if (loads_.any() && stores_.any() && loads_.partial() != stores_.partial())
      say("Stage a tile through shared memory, so that loads and stores both use whole sectors of "
          "32 bytes" +
          becomes());
    else if (in_part() && walks(stores_.any() ? stores_ : loads_))
      say("Let neighbouring threads take neighbouring elements, so that a warp uses whole sectors" +
          becomes());
    else if (in_part() && block_rows_ > 1)
      say("Let x run along what lies beside each other, in blocks at least 32 wide: a warp counts "
          "x first, and takes a row's whole sectors then" +
          becomes());
    else if (in_part())
      say(std::string(stores_.any() ? "Write" : "Read") +
          " whole sectors, or stage a tile through shared memory" + becomes());
    else
      say("Come back to what was loaded while L2 still has it: work in smaller pieces" + becomes());
  }
  void fewer_bytes() {
    say("Only moving fewer bytes helps: a narrower type, or kernels joined so that what is loaded "
        "is used more than once.");
  }

  // ---- What was measured

  void compare() {
    if (prediction_.counted) return;  // with itself
    if (measured_.seconds && prediction_.time) compare_time(*measured_.seconds);
    const auto reads = metric_of(measured_.metrics, "dram_read_bytes_measured");
    const auto writes = metric_of(measured_.metrics, "dram_write_bytes_measured");
    if (reads && writes) compare_bytes(*reads + *writes);
  }
  /// " above", " below": how far a value lies outside, as a share of the nearer end; 0 inside.
  static double outside(double value, const interval& bounds) {
    if (value > bounds.high) return bounds.high > 0 ? value / bounds.high - 1 : 1e300;
    return value < bounds.low ? value / bounds.low - 1 : 0;
  }
  static std::string more_or_less(double share) {
    return percent(std::abs(share)) + (share > 0 ? " more" : " less");
  }
  void compare_time(double seconds) {
    const interval bounds = prediction_.time->seconds;
    const std::string start = "Measured: " + time_text(seconds) + ", ";
    if (prediction_.time->is_number()) {
      const double share = seconds / bounds.middle() - 1;
      if (std::abs(share) < 0.0005)
        say(start + "as predicted.");
      else if (std::abs(share) <= kAgrees)
        say(start + more_or_less(share) + " than predicted: they agree.");
      else
        say(start + more_or_less(share) + " than the " + time_text(bounds.middle()) +
            " predicted: the model does not explain this time.");
      return;
    }
    const double share = outside(seconds, bounds);
    say(start + (share == 0
                     ? "within what is predicted (" + between_times(bounds) + ")."
                     : more_or_less(share) + " than the " + (share > 0 ? "longest" : "shortest") +
                           " predicted time, " + time_text(share > 0 ? bounds.high : bounds.low) +
                           ": the model does not explain this time."));
  }
  void compare_bytes(double bytes) {
    array_said_ = true;  // the sentence is read beside others
    const std::string start =
        "Measured: " + times_array(interval::exactly(bytes)) + " crossed DRAM, ";
    // Where the model has none, a hundredth of what is asked for is none.
    const double share = bytes <= 0.01 * best_ && total_.low == 0 ? 0 : outside(bytes, total_);
    if (!uncertain() || total_.high == 0) {
      if (std::abs(share) <= kBytesAgree)
        say(start + "as predicted.");
      else if (total_.high == 0)
        say(start + "where nothing is predicted: the model does not explain that.");
      else
        say(start + more_or_less(share) + " than the " + factors(total_) +
            " times predicted: the model does not explain that.");
      return;
    }
    say(start + (std::abs(share) <= kBytesAgree
                     ? "inside the bounds (" + factors(total_) + ")."
                     : "outside the bounds (" + factors(total_) + ") by " +
                           percent(std::abs(share)) + ": the model does not explain that."));
  }

  const row_prediction& prediction_;
  const traffic_prediction& traffic_;
  const device_description& device_;
  const measured_row& measured_;
  interval total_, fills_;  // bytes through DRAM, and those of them that fills read
  double blocks_;
  int block_threads_;
  std::string name_;  // of what traffic is a multiple of
  double array_ = 0;  // its bytes
  int access_ = 1;    // bytes of one access of a thread
  double flops_ = 0;
  unsigned block_rows_ = 1;
  moved_side loads_, stores_;
  double list_ = 0;  // bytes of the index list
  double best_ = 0;  // bytes that have to cross DRAM
  bool array_said_ = false;
  std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> explain(const row_spec& row, const row_prediction& prediction,
                                 const device_description& device, const measured_row& measured) {
  if (row.pattern->mover) return {};
  const std::unique_ptr<workload> work = make_workload(row);
  return explainer(row, work->meaning(), prediction, device, measured).explain();
}

std::vector<std::string> explain_counts(const counted_launch& launch,
                                        const device_description& device) {
  const auto limits = limits_of_counts(launch, device);
  if (!limits) return {};
  const measured_row measured{launch.seconds, launch.metrics};
  return explainer(launch, *limits, device, measured).explain();
}

std::string explained(const std::string& name, const std::vector<std::string>& sentences) {
  constexpr std::size_t kWidth = 100;
  if (sentences.empty()) return "";
  std::string text = name + "\n";
  for (const std::string& sentence : sentences) {
    const char* lead = "  - ";
    for (const std::string& line : wrap(sentence, kWidth)) {
      text.append(lead).append(line).append("\n");
      lead = "    ";
    }
  }
  return text + "\n";
}

}  // namespace sectorbench
