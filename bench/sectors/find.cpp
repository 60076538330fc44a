// SPDX-License-Identifier: Apache-2.0
#include "bench/sectors/find.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "bench/support/format.hpp"
#include "sectorbench/model/sector_model.hpp"

namespace sectorbench::sectors {
namespace {

using texts = std::vector<std::string>;

std::string text(std::int64_t number) { return std::to_string(number); }

// What is tried: `elements` are formulas, one for each load, that name an element of a buffer.
struct trial {
  int rank = 0;        // the simpler, the lower
  std::string family;  // of those of one family and cost the first is kept
  std::string cause, repair;
  texts elements;
  std::string lanes = {};
};

// Makes the trials of one block.
class trials_of {
 public:
  trials_of(const find_query& query, const extent& block)
      : query_(query), block_(block), in_sector_(kSectorBytes / query.type.bytes) {
    const bool is_row = block.y == 1 && block.z == 1;
    rank_ = is_row ? "bx*dx + x" : "(bx + gx*(by + gy*bz))*(dx*dy*dz) + t";
    if (!is_row) add_planes();
    // What goes by rank costs the same in blocks of several shapes: it is tried in the first.
    if (!is_row && !query.block) return;
    add_rows();
    add_strides();
    add_views();
    add_tables();
    add_stencils();
  }

  std::vector<trial> take() { return std::move(trials_); }

 private:
  static constexpr std::string_view kAligned = "begin rows and buffers at a multiple of 32 bytes";
  static constexpr std::string_view kNeighbours =
      "let neighbouring threads take neighbouring elements (a structure of arrays, or a loop that "
      "steps by the number of threads)";

  void add(int rank, std::string family, std::string cause, std::string_view repair, texts elements,
           std::string lanes = {}) {
    trials_.push_back({rank, std::move(family), std::move(cause), std::string(repair),
                       std::move(elements), std::move(lanes)});
  }

  std::string times(std::int64_t factor) const { return text(factor) + "*(" + rank_ + ")"; }

  void add_rows() {
    add(0, "side by side", "coalesced: neighbouring threads take neighbouring elements",
        "none: a warp cannot ask for fewer sectors, only for wider elements", {rank_});
    add(1, "offset", "coalesced, but every warp begins off a sector's start", kAligned,
        {rank_ + " + 1"});
    add(1, "one", "one element for a whole block: a broadcast", "none: one sector serves the warp",
        {"bx"});
    for (const int share : {2, 4, 8, 16})
      add(2, "shared", "groups of " + text(share) + " lanes share an element",
          "none: they share its sector; a shuffle saves the lanes' loads",
          {"(" + rank_ + ")/" + text(share)});
    if (block_.count() < kWarpLanes) return;
    for (const int lanes : {24, 16, 8, 4, 2, 1})
      add(2, "lanes off", "only the first " + text(lanes) + " lanes are active: a branch or a tail",
          "let whole warps take the branch", {rank_}, lanes == 1 ? "0" : "0-" + text(lanes - 1));
    add(2, "odd lanes off", "every other lane is active: a branch on the thread's number",
        "branch on the warp's number instead", {rank_}, "0-30:2");
  }

  void add_strides() {
    for (int stride = 2; stride <= 32; ++stride) {
      const bool is_own = stride >= in_sector_;
      add(1, "stride",
          is_own ? "stride " + text(stride) +
                       " or more: each lane has sectors of its own (a field of a struct, a thread "
                       "that walks a chunk, a column of a matrix)"
                 : "stride " + text(stride) + ": a field of a struct of " + text(stride) +
                       " elements, or a thread that walks a chunk of " + text(stride),
          kNeighbours, {times(stride)});
      if (!is_own)
        add(3, "stride off", "stride " + text(stride) + ", begun off a sector's start", kAligned,
            {times(stride) + " + " + text(stride)});
    }
    for (int twice = 3; twice < 2 * in_sector_ && twice <= 31; twice += 2)
      add(3, "half stride",
          "stride " + format_fixed(twice / 2.0, 1) + ": a row resampled to fewer elements",
          "stage the row in shared memory", {times(twice) + "/2"});
  }

  // Lengths of rows: as given, or one for each power of two of elements up to a sector's.
  std::vector<std::pair<std::int64_t, std::string>> pitches() const {
    if (query_.pitch) return {{*query_.pitch, ""}};
    constexpr std::int64_t kEven = 1024;
    std::vector<std::pair<std::int64_t, std::string>> all;
    for (std::int64_t odd = 1; odd < in_sector_; odd *= 2)
      all.emplace_back(kEven + odd, odd == 1 ? " (or any odd number)"
                                             : " (or any odd multiple of " + text(odd) + ")");
    all.emplace_back(kEven,
                     in_sector_ == 1 ? "" : " (or any multiple of " + text(in_sector_) + ")");
    return all;
  }

  void add_planes() {
    for (const auto& [pitch, or_any] : pitches()) {
      const std::string plane =
          block_.z > 1 ? " + (bz*dz + z)*" + text(pitch * 1024) : std::string();
      const std::string column = "bx*dx + x", row = "by*dy + y";
      const std::string across = "(" + row + ")*" + text(pitch) + " + " + column + plane;
      const std::string down = "(" + column + ")*" + text(pitch) + " + " + row + plane;
      const std::string rows = "rows of " + text(pitch) + " elements" + or_any;
      const std::string remedy = pitch % in_sector_ == 0
                                     ? "make blocks 32 threads wide in x"
                                     : "pad rows to a multiple of 32 bytes, and make blocks 32 "
                                       "threads wide in x";
      add(1, "rows",
          rows + ": a warp has " + text((kWarpLanes + block_.x - 1) / block_.x) + " of a block " +
              text(block_.x) + " wide",
          remedy, {across});
      add(2, "rows off", rows + ", begun off a sector's start: a stencil's next column", kAligned,
          {across + " + 1"});
      add(1, "swapped", "x and y swapped: x walks down " + rows, "let x be the column: " + across,
          {down});
      add(3, "swapped off",
          "x and y swapped: x walks down " + rows + ", begun off a sector's start",
          "let x be the column: " + across, {down + " + 1"});
      if (takes(2))
        add(2, "product",
            "a matrix product's inner loop: one element for a row of threads, and one of " + rows,
            "a tile of each matrix in shared memory", {"(" + row + ")*" + text(pitch), column});
      if (takes(5))
        add(2, "star", "the five points of a stencil, of " + rows,
            "a tile in shared memory with whole sectors around it",
            {across + " + " + text(pitch + 1), across + " + 1", across + " + " + text(pitch),
             across + " + " + text(pitch + 2), across + " + " + text(2 * pitch + 1)});
    }
  }

  void add_views() {
    const std::int64_t pitch = query_.pitch.value_or(1025);
    const std::string i = "(" + rank_ + ")";
    for (const int columns : {4, 8, 12, 16, 20, 24, 48}) {
      if (columns > pitch) continue;
      add(4, "view",
          "a view of " + text(columns) + " columns in rows of " + text(pitch) +
              " elements, flattened",
          "copy the view to a buffer of its own, or give each row whole warps",
          {i + "/" + text(columns) + "*" + text(pitch) + " + " + i + "%" + text(columns)});
    }
    for (const int rows : {2, 4, 8, 16, 32})
      add(3, "transposed view",
          "a transposed view of " + text(rows) + " rows of " + text(pitch) +
              " elements, flattened: the row runs fastest",
          "let the column run fastest, or turn a tile in shared memory",
          {i + "%" + text(rows) + "*" + text(pitch) + " + " + i + "/" + text(rows)});
    // The last of 2^32 elements, so that none is before the first.
    add(2, "reversed", "the order reversed: it costs nothing", "none", {"4294967295 - " + i});
    add(2, "reversed off", "the order reversed, begun off a sector's start", kAligned,
        {"4294967294 - " + i});
  }

  void add_tables() {
    const std::string i = "(" + rank_ + ")";
    // Two rounds of a hash, so that neighbours have nothing to do with each other.
    const std::string first = "((" + i + "%65536*40503 & 0xffff) ^ " + i + "%65536*40503 >> 7)";
    for (int sectors = 8; sectors <= 512; sectors *= 2)
      add(4, "table",
          "indices at random in a table of " + text(sectors * in_sector_) + " elements, " +
              format_bytes(sectors * kSectorBytes),
          "sort the indices, or keep the table in shared memory",
          {"(" + first + "*2654435761 >> 16)%" + text(sectors * in_sector_)});
  }

  void add_stencils() {
    if (takes(3))
      add(2, "stencil", "three neighbours of a stencil: i - 1, i, i + 1",
          "keep neighbours in registers or shared memory",
          {rank_ + " + " + text(in_sector_ * 32 - 1), rank_ + " + " + text(in_sector_ * 32),
           rank_ + " + " + text(in_sector_ * 32 + 1)});
  }

  // Whether trials of so many loads are asked for.
  bool takes(std::int64_t loads) const { return !query_.loads || *query_.loads == loads; }

  const find_query& query_;
  const extent& block_;
  int in_sector_;     // elements of a sector
  std::string rank_;  // of the thread in the launch
  std::vector<trial> trials_;
};

// A trial's command, counted; where the question has more loads than it, coalesced ones stand
// beside it.
candidate run(const find_query& query, const extent& block, const trial& one) {
  // Every alignment that a block can have, and all values of a table's hash.
  const extent grid = block.y == 1 && block.z == 1 ? extent{256, 1, 1} : extent{32, 32, 1};
  std::vector<std::string> args{"--type=" + std::string(query.type.name),
                                "--block=" + extent_text(block), "--grid=" + extent_text(grid)};
  if (!one.lanes.empty()) args.push_back("--lanes=" + one.lanes);
  const auto with = [&](const texts& elements) {
    std::vector<std::string> all = args;
    for (const std::string& element : elements)
      all.push_back("--formula=" + (query.type.bytes == 1
                                        ? element
                                        : text(query.type.bytes) + "*(" + element + ")"));
    return all;
  };
  const auto averaged = [&](const texts& elements) {
    return read_command(with(elements)).launch->all;
  };
  const launch_average alone = averaged(one.elements);
  candidate result{one.cause, one.repair, with(one.elements), alone.cost, alone.error};
  const auto loads = static_cast<std::size_t>(query.loads.value_or(1));
  if (one.elements.size() != 1 || loads == 1) return result;
  const std::string coalesced = "(bx + gx*(by + gy*bz))*(dx*dy*dz) + t";
  const auto others = static_cast<double>(loads - 1);
  texts all{one.elements[0]};
  all.resize(loads, coalesced);
  result.args = with(all);
  result.cause += ", beside coalesced loads";
  result.sectors = (alone.cost + others * averaged({coalesced}).cost) / (others + 1);
  result.error = alone.error / (others + 1);
  return result;
}

// The blocks that are tried if none is given.
std::vector<extent> blocks_of(const find_query& query) {
  if (query.block) return {*query.block};
  return {{256, 1, 1}, {16, 16, 1}, {32, 8, 1}, {8, 8, 1}};
}

}  // namespace

find_result find_causes(const find_query& query) {
  find_result result;
  struct ranked {
    int rank;
    candidate one;
  };
  std::vector<ranked> found;
  std::set<std::pair<std::string, std::int64_t>> known;
  const auto distance = [&](const candidate& one) { return std::abs(one.sectors - query.target); };
  for (const extent& block : blocks_of(query)) {
    for (const trial& one : trials_of(query, block).take()) {
      candidate tried = run(query, block, one);
      ++result.tried;
      if (result.tried == 1 || distance(tried) < distance(result.nearest)) result.nearest = tried;
      // Of a family the first one stands for all that cost the same, to a thousandth.
      const bool is_new = known.emplace(one.family, std::lround(tried.sectors * 1000)).second;
      if (is_new && distance(tried) <= query.tolerance * query.target + 1e-9)
        found.push_back({one.rank, std::move(tried)});
    }
  }
  std::ranges::stable_sort(found, [&](const ranked& a, const ranked& b) {
    return a.rank != b.rank ? a.rank < b.rank : distance(a.one) < distance(b.one);
  });
  for (ranked& one : found) result.found.push_back(std::move(one.one));
  return result;
}

std::string nothing_found(const find_query& query, const find_result& result) {
  const double away = std::abs(result.nearest.sectors - query.target) / query.target * 100;
  return "find: none of " + std::to_string(result.tried) + " accesses tried has " +
         format_exact(query.target) + " sectors a request within " +
         format_exact(query.tolerance * 100) + " %; the nearest has " +
         format_fixed(result.nearest.sectors, 2) +
         " (--tolerance=" + std::to_string(static_cast<int>(std::ceil(away))) + ")";
}

}  // namespace sectorbench::sectors
