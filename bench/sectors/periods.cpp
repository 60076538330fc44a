// SPDX-License-Identifier: Apache-2.0
#include "bench/sectors/periods.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <optional>

#include "bench/support/expression.hpp"

namespace sectorbench::sectors {
namespace {

using whole = std::int64_t;
using operation = expression::operation;

constexpr whole kSameBanksAndLines = 128;

std::optional<whole> sum(whole left, whole right) {
  whole result = 0;
  if (__builtin_add_overflow(left, right, &result)) return {};
  return result;
}

std::optional<whole> product(whole left, whole right) {
  whole result = 0;
  if (__builtin_mul_overflow(left, right, &result)) return {};
  return result;
}

// The values that a part of a formula takes in the launch, or a wider range.
struct range {
  whole least = 0, most = 0;
  bool is_one() const { return least == most; }
};

// After `length` blocks the part is greater by `shift`.
struct repetition {
  whole length = 1, shift = 0;
};

// What is known of a part of a formula.
struct part {
  std::optional<range> values;
  std::array<std::optional<repetition>, 3> along;
};

// Nothing if it is longer than any grid, or too far for sums of two to fit.
std::optional<repetition> repeated(std::optional<whole> length, std::optional<whole> shift) {
  constexpr whole kMostBlocks = whole{1} << 31, kFarthest = whole{1} << 60;
  if (!length || *length > kMostBlocks) return {};
  if (!shift || *shift > kFarthest || *shift < -kFarthest) return {};
  return repetition{*length, *shift};
}

std::optional<repetition> longer(const repetition& one, whole times) {
  return repeated(product(one.length, times), product(one.shift, times));
}

// With a shift that `divisor` divides.
std::optional<repetition> divisible(const repetition& one, whole divisor) {
  return longer(one, divisor / std::gcd(divisor, one.shift));
}

// The least power of two above `most`; nothing if it does not fit.
std::optional<whole> power_above(whole most) {
  const auto bits = std::bit_width(static_cast<std::uint64_t>(most));
  if (bits > 61) return {};
  return whole{1} << bits;
}

std::optional<range> spanned(std::optional<whole> a, std::optional<whole> b) {
  if (!a || !b) return {};
  return range{std::min(*a, *b), std::max(*a, *b)};
}

std::optional<range> range_of(operation what, const std::optional<range>& left,
                              const std::optional<range>& right) {
  if (!left || !right) return {};
  const range &a = *left, &b = *right;
  switch (what) {
    case operation::kAdd:
      return spanned(sum(a.least, b.least), sum(a.most, b.most));
    case operation::kNegate:
    case operation::kSubtract:
      if (!product(b.least, -1) || !product(b.most, -1)) return {};
      return spanned(sum(a.least, -b.most), sum(a.most, -b.least));
    case operation::kComplement:
      return range{~b.most, ~b.least};
    case operation::kMultiply: {
      std::optional<range> all;
      for (const whole x : {a.least, a.most})
        for (const whole y : {b.least, b.most}) {
          const auto one = product(x, y);
          if (!one) return {};
          if (!all) all = range{*one, *one};
          all = range{std::min(all->least, *one), std::max(all->most, *one)};
        }
      return all;
    }
    case operation::kShiftLeft:
      if (!b.is_one() || b.least < 0 || b.least > 61) return {};
      return spanned(product(a.least, whole{1} << b.least), product(a.most, whole{1} << b.least));
    case operation::kShiftRight:
      if (!b.is_one() || b.least < 0 || b.least > 62) return {};
      return range{a.least >> b.least, a.most >> b.least};
    case operation::kDivide:
      if (b.least < 1 || a.least < 0) return {};
      return range{a.least / b.most, a.most / b.least};
    case operation::kRemainder:
      if (b.least < 1 || a.least < 0) return {};
      return range{0, std::min(a.most, b.most - 1)};
    case operation::kAnd:
      if (a.least < 0 && b.least < 0) return {};
      if (a.least < 0) return range{0, b.most};
      if (b.least < 0) return range{0, a.most};
      return range{0, std::min(a.most, b.most)};
    case operation::kExclusiveOr:
    case operation::kOr:
      if (const auto above = a.least < 0 || b.least < 0 ? std::optional<whole>{}
                                                        : power_above(std::max(a.most, b.most)))
        return range{0, *above - 1};
      return {};
    case operation::kNumber:
    case operation::kVariable:
      break;
  }
  return {};
}

// `moving` and a part that does not move, joined bit by bit.
std::optional<repetition> joined_bits(operation what, const repetition& moving,
                                      const std::optional<range>& still) {
  if (!still) return {};
  const bool is_mask = still->is_one() && still->least < 0;  // all ones above some bit
  if (still->least < 0 && !is_mask) return {};
  const auto above = power_above(is_mask ? ~still->least : still->most);
  if (!above) return {};
  // The bits above are those of the moving part, none, all, or its complement.
  auto result = divisible(moving, *above);
  if (!result) return {};
  if (what == operation::kAnd && !is_mask) result->shift = 0;
  if (what == operation::kOr && is_mask) result->shift = 0;
  if (what == operation::kExclusiveOr && is_mask) result->shift = -result->shift;
  return result;
}

std::optional<repetition> repetition_of(operation what, const part& left, const part& right,
                                        std::size_t dimension) {
  if (!left.along[dimension] || !right.along[dimension]) return {};
  const whole length = std::lcm(left.along[dimension]->length, right.along[dimension]->length);
  const auto a = longer(*left.along[dimension], length / left.along[dimension]->length);
  const auto b = longer(*right.along[dimension], length / right.along[dimension]->length);
  if (!a || !b) return {};
  if (a->shift == 0 && b->shift == 0) return repetition{length, 0};
  // What moves must be known to fit, or somewhere it might have no value.
  if (!left.values || !right.values) return {};
  const range &x = *left.values, &y = *right.values;
  switch (what) {
    case operation::kAdd:
      return repeated(length, a->shift + b->shift);
    case operation::kNegate:
    case operation::kSubtract:
      return repeated(length, a->shift - b->shift);
    case operation::kComplement:
      return repeated(length, -b->shift);
    case operation::kMultiply: {
      if (!x.is_one() && !y.is_one()) return {};
      return repeated(length, x.is_one() ? product(b->shift, x.least) : product(a->shift, y.least));
    }
    case operation::kShiftLeft: {
      if (!y.is_one() || y.least < 0 || y.least > 61) return {};
      return repeated(length, product(a->shift, whole{1} << y.least));
    }
    case operation::kShiftRight: {
      if (!y.is_one() || y.least < 0 || y.least > 61) return {};
      auto result = divisible(*a, whole{1} << y.least);
      if (result) result->shift >>= y.least;
      return result;
    }
    case operation::kDivide:
    case operation::kRemainder: {
      // Rounding toward zero: below 0 a quotient does not move by even steps.
      if (!y.is_one() || y.least < 1 || x.least < 0) return {};
      if (x.most < y.least && what == operation::kRemainder) return a;
      auto result = divisible(*a, y.least);
      if (result) result->shift = what == operation::kDivide ? result->shift / y.least : 0;
      return result;
    }
    case operation::kAnd:
    case operation::kExclusiveOr:
    case operation::kOr:
      if (a->shift != 0 && b->shift != 0) return {};
      return a->shift != 0 ? joined_bits(what, *a, right.values)
                           : joined_bits(what, *b, left.values);
    case operation::kNumber:
    case operation::kVariable:
      break;
  }
  return {};
}

part number_part(whole value) {
  return {range{value, value}, {repetition{}, repetition{}, repetition{}}};
}

part join(operation what, const part& left, const part& right) {
  part result{range_of(what, left.values, right.values), {}};
  for (std::size_t i = 0; i < result.along.size(); ++i)
    result.along[i] = repetition_of(what, left, right, i);
  return result;
}

part variable_part(const launch_shape& shape, std::size_t variable) {
  const extent &threads = *shape.block, &blocks = *shape.grid;
  const whole most[kVariables.size()]{threads.count() - 1,
                                      threads.x - 1,
                                      threads.y - 1,
                                      threads.z - 1,
                                      threads.x,
                                      threads.y,
                                      threads.z,
                                      blocks.x - 1,
                                      blocks.y - 1,
                                      blocks.z - 1,
                                      blocks.x,
                                      blocks.y,
                                      blocks.z};
  const bool is_size =
      (variable >= kBlockVariables && variable < kGridVariables) || variable >= kGridVariables + 3;
  part result = number_part(most[variable]);
  if (is_size) return result;
  result.values->least = 0;
  if (variable >= kGridVariables) result.along[variable - kGridVariables]->shift = 1;
  return result;
}

// The address of a source's accesses.
part address_part(const layout& of, const source& from) {
  part address = number_part(of.offset);
  for (const term& one : from.terms) {
    const part value = one.formula.fold(
        number_part, [&](std::size_t variable) { return variable_part(of.shape, variable); },
        [](const expression::step& step, const part& left, const part& right) {
          return join(step.what, left, right);
        });
    address =
        join(operation::kAdd, address, join(operation::kMultiply, value, number_part(one.bytes)));
  }
  return address;
}

}  // namespace

launch_periods periods_of(const layout& of) {
  const extent& grid = *of.shape.grid;
  const std::array<whole, 3> blocks{grid.x, grid.y, grid.z};
  const auto [first_field, last_field] = std::ranges::minmax(of.fields);
  launch_periods result{{}, true, 0};
  std::array<std::optional<whole>, 3> lengths{1, 1, 1};
  for (const source& from : of.sources) {
    const part address = address_part(of, from);
    const auto least = address.values ? sum(address.values->least, first_field) : std::nullopt;
    const auto most = address.values ? sum(address.values->most, last_field) : std::nullopt;
    if (!least || !most || *least < 0 || from.has_indices) result.is_bounded = false;
    if (most) result.highest = std::max(result.highest, *most);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const auto one =
          address.along[i] ? divisible(*address.along[i], kSameBanksAndLines) : std::nullopt;
      if (!one || !lengths[i]) {
        lengths[i].reset();
        continue;
      }
      lengths[i] = std::lcm(*lengths[i], one->length);  // of two up to 2^31
      if (*lengths[i] >= blocks[i]) {
        lengths[i].reset();
        continue;
      }
      // Indices inside a view move where their sum may not.
      if (one->shift != 0 || from.has_indices) result.along[i].moves = true;
    }
  }
  for (std::size_t i = 0; i < lengths.size(); ++i)
    result.along[i] = {lengths[i].value_or(blocks[i]), lengths[i] && result.along[i].moves};
  return result;
}

}  // namespace sectorbench::sectors
