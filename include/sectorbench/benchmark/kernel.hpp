// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "sectorbench/pattern/launch.hpp"
#include "sectorbench/verify/fill.hpp"

struct CUstream_st;  // cudaStream_t points to it; host-only builds have no CUDA header

/// @file
/// A kernel of your own, measured as the patterns are: the same clock, counters, reports and gate.
///
///     const sectorbench::kernel_registration row_sums({
///         .name = "row_sums",
///         .summary = "a thread adds up a row",
///         .axes = {{"columns", {1000, 1024}}},
///         .buffers = [](const auto& p) {
///           return std::vector{sectorbench::input<float>("a", 4096 * p["columns"]),
///                              sectorbench::output<float>("sums", 4096, 1e-5)};
///         },
///         .bytes = [](const auto& p) {
///           return sectorbench::kernel_bytes{4096 * p["columns"] * 4, 4096 * 4};
///         },
///         .launch = [](const auto& a, cudaStream_t stream) {
///           row_sums_kernel<<<16, 256, 0, stream>>>(
///               a.template at<float>("a"), a.template at<float>("sums"), a["columns"]);
///         },
///         .reference = [](const auto& a) { ... },  // the same on the CPU
///     });
///
/// Its rows are `row_sums/columns:1000` and `row_sums/columns:1024`. Each buffer lies between
/// guards that must stay as they are, an input must, and two launches of the same inputs must leave
/// the same bytes. A launch must not wait for the device.

namespace sectorbench {

/// A name and the values at which the kernel is measured: a row for each combination of the axes'.
struct kernel_axis {
  std::string name;  ///< lower case letters, digits and underscores
  std::vector<index_t> values;
};

/// The values of one row.
class kernel_parameters {
 public:
  kernel_parameters(std::span<const kernel_axis> axes, std::vector<index_t> values)
      : axes_(axes), values_(std::move(values)) {}

  /// The value on the axis called `name`. @throws std::invalid_argument if there is none
  index_t operator[](std::string_view name) const {
    std::string known;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (axes_[i].name == name) return values_[i];
      known += (i > 0 ? ", " : "") + axes_[i].name;
    }
    throw std::invalid_argument("no axis is called '" + std::string(name) + "'; there " +
                                (known.empty() ? "is none" : "are: " + known));
  }

 private:
  std::span<const kernel_axis> axes_;
  std::vector<index_t> values_;
};

/// Useful bytes of one launch: what the kernel has to load and store, each byte once.
struct kernel_bytes {
  index_t loads = 0, stores = 0;
};

/// What a launch does with a buffer.
enum class buffer_use {
  kInput,    ///< loads it and leaves it as it was
  kOutput,   ///< stores to it whatever it held
  kUpdated,  ///< loads and stores: what a launch leaves depends on what it held
  kScratch,  ///< as it likes; nothing is compared
};

/// A buffer of a row. Made by `input`, `output`, `updated` and `scratch`.
struct kernel_buffer {
  std::string name;
  index_t bytes = 0;
  buffer_use use = buffer_use::kInput;
  const std::type_info* type = nullptr;
  /// Makes the content before a launch. Outputs and scratch are poisoned instead.
  std::function<void(unsigned char* data, std::uint64_t seed)> fill{};
  /// What differs between a result and the expected one, or "".
  std::function<std::string(const unsigned char* got, const unsigned char* expected)> compare{};
  bool varies = false;

  /// Launches may leave different bytes, as they add in another order; only the check decides.
  kernel_buffer&& may_vary() && {
    varies = true;
    return std::move(*this);
  }
};

namespace detail {

template <class T>
kernel_buffer make_buffer(std::string name, index_t count, buffer_use use, double tolerance) {
  static_assert(std::is_trivially_copyable_v<T>);
  kernel_buffer made{std::move(name), count * index_t{sizeof(T)}, use, &typeid(T)};
  if (use == buffer_use::kInput || use == buffer_use::kUpdated)
    made.fill = [bytes = made.bytes](unsigned char* data, std::uint64_t seed) {
      constexpr double kWord = 1.0 / 0x1p31;
      for (index_t i = 0; i < bytes; i += sizeof(T)) {
        const std::uint64_t word = scrambled_word(static_cast<std::uint64_t>(i), seed);
        T value;
        if constexpr (std::is_floating_point_v<T>)
          value = static_cast<T>(static_cast<double>(word >> 32) * kWord - 1);
        else
          for (std::size_t byte = 0; byte < sizeof(T); byte += 8) {
            const std::uint64_t part = scrambled_word(word + byte, seed);
            std::memcpy(reinterpret_cast<unsigned char*>(&value) + byte, &part,
                        sizeof(T) - byte < 8 ? sizeof(T) - byte : 8);
          }
        std::memcpy(data + i, &value, sizeof(T));
      }
    };
  made.compare = [count, tolerance](const unsigned char* got, const unsigned char* expected) {
    index_t wrong = 0, first = 0;
    const auto value_at = [](const unsigned char* data, index_t i) {
      T value;
      std::memcpy(&value, data + i * index_t{sizeof(T)}, sizeof(T));
      return value;
    };
    const auto is_wrong = [&](index_t i) {
      const auto place = i * index_t{sizeof(T)};
      if (std::memcmp(got + place, expected + place, sizeof(T)) == 0) return false;
      if constexpr (std::is_floating_point_v<T>) {
        const auto a = static_cast<double>(value_at(got, i));
        const auto b = static_cast<double>(value_at(expected, i));
        return !(std::abs(a - b) <= tolerance * std::abs(b));
      } else {
        return true;
      }
    };
    for (index_t i = 0; i < count; ++i)
      if (is_wrong(i) && wrong++ == 0) first = i;
    if (wrong == 0) return std::string();
    std::ostringstream text;
    text << wrong << " of " << count << " elements wrong, the first at index " << first;
    if constexpr (std::is_arithmetic_v<T>) {
      text.precision(9);
      text << ": got " << +value_at(got, first) << ", expected " << +value_at(expected, first);
    }
    return text.str();
  };
  return made;
}

template <class T>
kernel_buffer filled_by(kernel_buffer made,
                        const std::function<void(std::span<T>, std::uint64_t)>& fill) {
  if (fill)
    made.fill = [fill, bytes = made.bytes](unsigned char* data, std::uint64_t seed) {
      fill({reinterpret_cast<T*>(data), static_cast<std::size_t>(bytes) / sizeof(T)}, seed);
    };
  return made;
}

}  // namespace detail

/// Makes the elements of a buffer in the CPU's memory; another content for another seed.
template <class T>
using kernel_fill = std::function<void(std::span<T> elements, std::uint64_t seed)>;

/// `count` elements that a launch only loads. Without `fill` floating-point numbers lie in [-1, 1),
/// others are any bits.
template <class T>
kernel_buffer input(std::string name, index_t count,
                    const std::type_identity_t<kernel_fill<T>>& fill = {}) {
  return detail::filled_by<T>(detail::make_buffer<T>(std::move(name), count, buffer_use::kInput, 0),
                              fill);
}

/// `count` elements that a launch stores. @param tolerance how far floating-point numbers may lie
/// from the reference's, as a share of its; 0: every bit counts
template <class T>
kernel_buffer output(std::string name, index_t count, double tolerance = 0) {
  return detail::make_buffer<T>(std::move(name), count, buffer_use::kOutput, tolerance);
}

/// `count` elements that a launch loads and stores. Timed launches follow each other, so that each
/// goes on with what the last one left.
template <class T>
kernel_buffer updated(std::string name, index_t count, double tolerance = 0,
                      const std::type_identity_t<kernel_fill<T>>& fill = {}) {
  return detail::filled_by<T>(
      detail::make_buffer<T>(std::move(name), count, buffer_use::kUpdated, tolerance), fill);
}

/// `count` elements that are nobody else's.
template <class T>
kernel_buffer scratch(std::string name, index_t count) {
  return detail::make_buffer<T>(std::move(name), count, buffer_use::kScratch, 0);
}

/// What a launch, its reference or its check gets: the row's values and buffers.
class kernel_arguments {
 public:
  /// @param places the start of each buffer
  kernel_arguments(const kernel_parameters& parameters, std::span<const kernel_buffer> buffers,
                   std::vector<unsigned char*> places)
      : parameters_(parameters), buffers_(buffers), places_(std::move(places)) {}

  /// The value on an axis. @throws std::invalid_argument if there is none
  index_t operator[](std::string_view axis) const { return parameters_[axis]; }

  /// The start of a buffer: in the GPU's memory for a launch, else in the CPU's.
  /// @throws std::invalid_argument if no buffer of such elements has that name
  template <class T>
  T* at(std::string_view name) const {
    return reinterpret_cast<T*>(place(name, typeid(T)));
  }
  /// Elements of a buffer. @throws as at
  template <class T>
  std::span<T> all(std::string_view name) const {
    return {at<T>(name), static_cast<std::size_t>(bytes(name)) / sizeof(T)};
  }
  /// Bytes of a buffer. @throws std::invalid_argument if there is none
  index_t bytes(std::string_view name) const { return buffers_[index_of(name)].bytes; }

 private:
  std::size_t index_of(std::string_view name) const {
    std::string known;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i].name == name) return i;
      known += (i > 0 ? ", " : "") + buffers_[i].name;
    }
    throw std::invalid_argument("no buffer is called '" + std::string(name) +
                                "'; there are: " + known);
  }
  unsigned char* place(std::string_view name, const std::type_info& type) const {
    const std::size_t i = index_of(name);
    if (*buffers_[i].type != type)
      throw std::invalid_argument("buffer '" + std::string(name) +
                                  "' is asked for as elements of another type than it was made of");
    return places_[i];
  }

  const kernel_parameters& parameters_;
  std::span<const kernel_buffer> buffers_;
  std::vector<unsigned char*> places_;
};

/// A kernel as its author describes it. What may be left out is empty.
struct kernel {
  std::string name;  ///< lower case letters, digits and underscores
  std::string summary;
  std::vector<kernel_axis> axes{};
  std::function<std::vector<kernel_buffer>(const kernel_parameters&)> buffers;
  std::function<kernel_bytes(const kernel_parameters&)> bytes;
  /// Queues one launch in a stream. Without it the row is skipped on a GPU.
  std::function<void(const kernel_arguments&, CUstream_st*)> launch{};
  /// Does the same on the CPU. Without it the row is skipped there.
  std::function<void(const kernel_arguments&)> run_on_host{};
  /// Stores the expected outputs, in the CPU's memory. Without it and `check` the row says
  /// `verified` 0.
  std::function<void(const kernel_arguments&)> reference{};
  /// Says what is wrong with the outputs, which lie in the CPU's memory, or "".
  std::function<std::string(const kernel_arguments&)> check{};
  /// The row of a pattern that accesses memory as this kernel does, with its size:
  /// "stride/copy/f32/stride:8/elements:1048576". Its prediction then stands beside the counters.
  std::function<std::string(const kernel_parameters&)> accesses{};
};

/// Registers a kernel before main begins.
class kernel_registration {
 public:
  explicit kernel_registration(kernel what, const char* file = __builtin_FILE(),
                               int line = __builtin_LINE());
};

}  // namespace sectorbench
