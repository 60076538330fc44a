// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// @file
/// Formulas over whole numbers: where a thread goes, as somebody writes it in a kernel.
///
///     const std::array<std::string_view, 1> names{"t"};
///     const expression formula("4 + 32*t", names);
///     const std::array<std::int64_t, 1> values{3};
///     formula.evaluate(values);  // 100
///
/// Numbers are decimal or hexadecimal (0x1f). Operators are those of C with C's precedence:
/// unary - + ~, then * / %, + -, << >>, &, ^, |, and parentheses; / rounds toward zero and % has
/// the sign of its left side. Values have 64 bits. Unlike in C, nothing wraps and nothing is
/// undefined: a result that does not fit, a division by zero and a shift by less than 0 or more
/// than 62 are errors.

namespace sectorbench {

/// A formula that was read and can be evaluated for many threads.
class expression {
 public:
  /// Reads `text`, in which the names of `variables` may stand.
  /// @throws usage_error with the character, counted from 1, at which `text` is no formula.
  expression(std::string_view text, std::span<const std::string_view> variables);

  /// The formula's value where the variables have `values`, in the order of their names.
  /// @pre there are as many values as names.
  /// @throws usage_error with the character of the operator that has no result, and its operands.
  std::int64_t evaluate(std::span<const std::int64_t> values) const;

  enum class operation {
    kNumber,
    kVariable,
    kNegate,
    kComplement,
    kMultiply,
    kDivide,
    kRemainder,
    kAdd,
    kSubtract,
    kShiftLeft,
    kShiftRight,
    kAnd,
    kExclusiveOr,
    kOr,
  };

  struct step {
    operation what;
    std::int64_t operand;   ///< the number, or the variable's place
    std::size_t character;  ///< where it stands in the text, from 1
  };

  /// The formula over values of another kind, e.g. the range of each: number(n) and variable(place)
  /// make them, join(step, left, right) joins two; an operator of one operand has number(0) left.
  template <typename Number, typename Variable, typename Join>
  auto fold(Number number, Variable variable, Join join) const {
    std::vector<decltype(number(std::int64_t{0}))> stack;
    stack.reserve(steps_.size());
    for (const step& one : steps_) {
      if (one.what == operation::kNumber) {
        stack.push_back(number(one.operand));
      } else if (one.what == operation::kVariable) {
        stack.push_back(variable(static_cast<std::size_t>(one.operand)));
      } else {
        const bool is_unary = one.what == operation::kNegate || one.what == operation::kComplement;
        const auto right = stack.back();
        if (!is_unary) stack.pop_back();
        stack.back() = join(one, is_unary ? number(0) : stack.back(), right);
      }
    }
    return stack.back();
  }

 private:
  friend class expression_parser;

  static std::int64_t apply(const step& one, std::int64_t left, std::int64_t right);

  std::vector<step> steps_;  // postfix: operands before their operator
};

}  // namespace sectorbench
