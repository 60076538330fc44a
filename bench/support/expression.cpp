// SPDX-License-Identifier: Apache-2.0
#include "bench/support/expression.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <system_error>

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

constexpr int kMaxDepth = 100;  // the parser calls itself: deeper nesting would exhaust the stack

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::string at(std::size_t character) { return " at character " + std::to_string(character); }

}  // namespace

/// Reads by recursive descent and leaves the steps in the order of their evaluation.
class expression_parser {
 public:
  expression_parser(std::string_view text, std::span<const std::string_view> variables,
                    std::vector<expression::step>& steps)
      : text_(text), variables_(variables), steps_(steps) {}

  void read() {
    read_binary(0, 0);
    if (place_ < text_.size()) fail("expected an operator, found " + found());
  }

 private:
  using operation = expression::operation;

  struct binary_operator {
    std::string_view spelling;
    operation what;
    int precedence;
  };
  static constexpr std::array kBinary{
      binary_operator{"|", operation::kOr, 1},
      binary_operator{"^", operation::kExclusiveOr, 2},
      binary_operator{"&", operation::kAnd, 3},
      binary_operator{"<<", operation::kShiftLeft, 4},
      binary_operator{">>", operation::kShiftRight, 4},
      binary_operator{"+", operation::kAdd, 5},
      binary_operator{"-", operation::kSubtract, 5},
      binary_operator{"*", operation::kMultiply, 6},
      binary_operator{"/", operation::kDivide, 6},
      binary_operator{"%", operation::kRemainder, 6},
  };

  // An operand and all operators behind it that bind at least as strongly as `precedence`.
  void read_binary(int precedence, int depth) {
    read_unary(depth);
    for (const binary_operator* next = peek(); next != nullptr && next->precedence >= precedence;
         next = peek()) {
      const std::size_t character = place_ + 1;
      place_ += next->spelling.size();
      read_binary(next->precedence + 1, depth + 1);
      steps_.push_back({next->what, 0, character});
    }
  }

  void read_unary(int depth) {
    skip_spaces();
    if (depth > kMaxDepth) fail("more than " + std::to_string(kMaxDepth) + " levels of nesting");
    const std::size_t character = place_ + 1;
    if (take('-')) {
      read_unary(depth + 1);
      steps_.push_back({operation::kNegate, 0, character});
    } else if (take('~')) {
      read_unary(depth + 1);
      steps_.push_back({operation::kComplement, 0, character});
    } else if (take('+')) {
      read_unary(depth + 1);
    } else if (take('(')) {
      read_binary(0, depth + 1);
      if (!take(')')) fail("expected ')' or an operator, found " + found());
    } else if (is_digit(front())) {
      read_number();
    } else if (is_letter(front())) {
      read_variable();
    } else {
      fail("expected a number, a variable or '(', found " + found());
    }
    skip_spaces();
  }

  void read_number() {
    const std::string_view word = take_word();
    const bool is_hexadecimal = word.starts_with("0x") || word.starts_with("0X");
    const std::string_view digits = word.substr(is_hexadecimal ? 2 : 0);
    const std::size_t character = place_ - word.size() + 1;
    std::int64_t number = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] =
        std::from_chars(digits.data(), end, number, is_hexadecimal ? 16 : 10);
    const std::string shown = "'" + std::string(word) + "'";
    if (error == std::errc::result_out_of_range)
      throw usage_error(shown + at(character) + " does not fit in 64 bits");
    if (error != std::errc() || stop != end)
      throw usage_error(shown + at(character) + " is no number; a product is written 2*t");
    steps_.push_back({operation::kNumber, number, character});
  }

  void read_variable() {
    const std::string_view name = take_word();
    const std::size_t character = place_ - name.size() + 1;
    const auto known = std::ranges::find(variables_, name);
    if (known == variables_.end())
      throw usage_error("unknown variable '" + std::string(name) + "'" + at(character) +
                        "; known: " + join(variables_, ", "));
    steps_.push_back({operation::kVariable, known - variables_.begin(), character});
  }

  const binary_operator* peek() const {
    const auto known = std::ranges::find_if(kBinary, [&](const binary_operator& one) {
      return text_.substr(place_).starts_with(one.spelling);
    });
    return known == kBinary.end() ? nullptr : &*known;
  }

  std::string_view take_word() {
    const std::size_t begin = place_;
    while (is_letter(front()) || is_digit(front())) ++place_;
    return text_.substr(begin, place_ - begin);
  }

  bool take(char expected) {
    if (front() != expected) return false;
    ++place_;
    return true;
  }

  void skip_spaces() {
    while (front() == ' ') ++place_;
  }

  char front() const { return place_ < text_.size() ? text_[place_] : '\0'; }

  std::string found() const {
    if (place_ >= text_.size()) return "the end";
    const bool is_printable = front() > ' ' && front() <= '~';
    return is_printable ? "'" + std::string(1, front()) + "'"
                        : "a character that is not printable ASCII";
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw usage_error(what + at(place_ + 1));
  }

  std::string_view text_;
  std::span<const std::string_view> variables_;
  std::vector<expression::step>& steps_;
  std::size_t place_ = 0;
};

expression::expression(std::string_view text, std::span<const std::string_view> variables) {
  expression_parser(text, variables, steps_).read();
}

std::int64_t expression::evaluate(std::span<const std::int64_t> values) const {
  return fold([](std::int64_t number) { return number; },
              [&](std::size_t variable) { return values[variable]; }, apply);
}

std::int64_t expression::apply(const step& one, std::int64_t left, std::int64_t right) {
  const auto refuse = [&](std::string_view spelling, std::string_view why) {
    throw usage_error(std::to_string(left) + " " + std::string(spelling) + " " +
                      std::to_string(right) + at(one.character) + ": " + std::string(why));
  };
  constexpr std::string_view kTooLarge = "the result does not fit in 64 bits";
  constexpr std::string_view kByZero = "division by zero";
  constexpr std::string_view kShift = "a shift is by 0 to 62";
  const bool is_shift = right >= 0 && right <= 62;
  std::int64_t result = 0;
  switch (one.what) {
    case operation::kNumber:
    case operation::kVariable:
      break;  // they have no operands
    case operation::kNegate:
      if (__builtin_sub_overflow(std::int64_t{0}, right, &result)) refuse("-", kTooLarge);
      break;
    case operation::kComplement:
      result = ~right;
      break;
    case operation::kMultiply:
      if (__builtin_mul_overflow(left, right, &result)) refuse("*", kTooLarge);
      break;
    case operation::kDivide:
    case operation::kRemainder: {
      const bool is_division = one.what == operation::kDivide;
      const std::string_view spelling = is_division ? "/" : "%";
      if (right == 0) refuse(spelling, kByZero);
      // The only quotient that does not fit: the least number by -1.
      if (right == -1 && __builtin_sub_overflow(std::int64_t{0}, left, &result))
        refuse(spelling, kTooLarge);
      result = is_division ? left / right : left % right;
      break;
    }
    case operation::kAdd:
      if (__builtin_add_overflow(left, right, &result)) refuse("+", kTooLarge);
      break;
    case operation::kSubtract:
      if (__builtin_sub_overflow(left, right, &result)) refuse("-", kTooLarge);
      break;
    case operation::kShiftLeft:
      if (!is_shift) refuse("<<", kShift);
      if (__builtin_mul_overflow(left, std::int64_t{1} << right, &result)) refuse("<<", kTooLarge);
      break;
    case operation::kShiftRight:
      if (!is_shift) refuse(">>", kShift);
      result = left >> right;
      break;
    case operation::kAnd:
      result = left & right;
      break;
    case operation::kExclusiveOr:
      result = left ^ right;
      break;
    case operation::kOr:
      result = left | right;
      break;
  }
  return result;
}

}  // namespace sectorbench
