// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <utility>

#include "kernels/buffers.hpp"
#include "kernels/own_kernel.hpp"

#if defined(__CUDACC__)
#include "sectorbench/cuda/error.hpp"
#endif

namespace sectorbench {
namespace {

constexpr std::array kOwnOperations{operation_kind::kCopy};
constexpr std::array kOwnTypes{element_type::kF32};
constexpr index_t kMostBytes = index_t{1} << 46;  // of a buffer: sums stay in 64 bits

std::vector<std::unique_ptr<own_kernel>>& kernels_as_registered() {
  static std::vector<std::unique_ptr<own_kernel>> all;
  return all;
}

constexpr std::string_view kNameRule =
    ": a name is lower case letters, digits and underscores, a letter first";

/// Runs what the author wrote; whatever it throws is an exception that a row can report.
template <class Call>
auto called(const Call& call) {
  try {
    return call();
  } catch (const std::exception&) {
    throw;
  } catch (...) {
    throw std::runtime_error("it threw something that is no std::exception");
  }
}

index_t rounded(index_t bytes) {
  return groups_of(own_work::kGuardBytes, bytes) * own_work::kGuardBytes;
}

index_t first_difference(const unsigned char* one, const unsigned char* other, index_t bytes) {
  return std::mismatch(one, one + bytes, other).first - one;
}

}  // namespace

own_kernel::own_kernel(kernel what, std::string place) : what_(std::move(what)), error_(fault()) {
  if (!is_name(what_.name)) what_.name = "unnamed";
  if (!error_.empty()) what_.axes.clear();  // they may be the fault
  for (const kernel_axis& axis : what_.axes) {
    const auto [low, high] = std::ranges::minmax(axis.values);
    specs_.push_back({axis.name, low, high, axis.values.front()});
  }
  entry_ = {what_.name,
            what_.summary,
            "what a launch accesses is measured, not predicted",
            specs_,
            kOwnOperations,
            kOwnTypes,
            true,
            [this](operation_kind, element_type, index_t, std::span<const index_t> values,
                   block_size) { return std::make_unique<own_work>(*this, values); }};
  entry_.own = this;
  entry_.place = std::move(place);
}

std::string own_kernel::fault() const {
  if (!is_name(what_.name)) return "a kernel is called '" + what_.name + "'" + kNameRule.data();
  if (!what_.buffers) return "it has no buffers";
  if (!what_.bytes) return "it does not say its bytes";
  if (!what_.launch && !what_.run_on_host) return "it has neither launch nor run_on_host";
  for (const kernel_axis& axis : what_.axes) {
    const std::string name = "axis '" + axis.name + "'";
    if (!is_name(axis.name)) return name + kNameRule.data();
    for (const std::string_view taken : {"elements", "block", "gpu"})
      if (axis.name == taken) return name + ": rows say something else by that name; take another";
    if (std::ranges::count(what_.axes, axis.name, &kernel_axis::name) > 1)
      return name + " stands twice; leave one out";
    if (axis.values.empty()) return name + " has no values; give one at least";
  }
  return {};
}

std::vector<std::vector<index_t>> own_kernel::rows() const {
  std::vector<std::vector<index_t>> rows{{}};
  for (const kernel_axis& axis : what_.axes) {
    std::vector<std::vector<index_t>> longer;
    for (const std::vector<index_t>& row : rows)
      for (const index_t value : axis.values) {
        longer.push_back(row);
        longer.back().push_back(value);
      }
    rows = std::move(longer);
  }
  return rows;
}

bool own_kernel::takes(std::span<const index_t> values) const {
  return std::ranges::equal(what_.axes, values, [](const kernel_axis& axis, index_t value) {
    return std::ranges::find(axis.values, value) != axis.values.end();
  });
}

void settle_names(std::vector<std::unique_ptr<own_kernel>>& kernels) {
  const auto name_of = [](const auto& one) -> const std::string& { return one->what().name; };
  std::ranges::stable_sort(kernels, {}, name_of);
  for (std::size_t i = 1; i < kernels.size(); ++i)
    if (name_of(kernels[i - 1]) == name_of(kernels[i])) {
      kernels[i]->refuse("two registrations have this name, one of " + kernels[i - 1]->place() +
                         " and one of " + kernels[i]->place() + "; rename one");
      kernels.erase(kernels.begin() + static_cast<std::ptrdiff_t>(--i));
    }
  for (const auto& one : kernels)
    if (std::ranges::count(registered_patterns(), std::string_view(one->what().name),
                           &pattern_entry::name) > 0)
      one->refuse("a pattern has this name already; rename what is registered at " + one->place());
}

const std::vector<std::unique_ptr<own_kernel>>& own_kernels() {
  static const bool settled = [] {
    std::set<std::string> places;
    for (const pattern_entry& pattern : ambiguous_patterns())
      if (places.insert(pattern.place).second)
        kernels_as_registered().push_back(
            std::make_unique<own_kernel>(kernel{.name = std::string(pattern.name)}, pattern.place));
    settle_names(kernels_as_registered());
    return true;
  }();
  static_cast<void>(settled);
  return kernels_as_registered();
}

kernel_registration::kernel_registration(kernel what, const char* file, int line) {
  kernels_as_registered().push_back(std::make_unique<own_kernel>(
      std::move(what), std::string(file) + ":" + std::to_string(line)));
}

own_work::own_work(const own_kernel& kernel, std::span<const index_t> values)
    : kernel_(kernel),
      parameters_(kernel.what().axes, {values.begin(), values.end()}),
      error_(kernel.error()) {
  if (!error_.empty()) return;
  try {
    lay_out();
  } catch (const std::exception& error) {
    error_ = error.what();
    in_bytes_ = out_bytes_ = 0;
    bytes_ = {};
  }
}

void own_work::lay_out() {
  called([&] { buffers_ = kernel_.what().buffers(parameters_); });
  for (const kernel_buffer& buffer : buffers_) {
    const std::string name = "buffer '" + buffer.name + "'";
    if (std::ranges::count(buffers_, buffer.name, &kernel_buffer::name) > 1)
      throw std::invalid_argument(name + " stands twice; rename one");
    if (buffer.bytes <= 0 || buffer.bytes > kMostBytes)
      throw std::invalid_argument(name + " has " + std::to_string(buffer.bytes) +
                                  " bytes; a buffer has 1 to " + std::to_string(kMostBytes));
    index_t& end = is_in(buffer) ? in_bytes_ : out_bytes_;
    if (end == 0) end = kGuardBytes;
    offsets_.push_back(end);
    end = rounded(end + buffer.bytes + kGuardBytes);
  }
  const kernel_bytes bytes = called([&] { return kernel_.what().bytes(parameters_); });
  if (bytes.loads < 0 || bytes.stores < 0 || bytes.loads + bytes.stores == 0)
    throw std::invalid_argument("it declares " + std::to_string(bytes.loads) +
                                " useful bytes loaded and " + std::to_string(bytes.stores) +
                                " stored; a launch moves one at least");
  bytes_ = bytes;
}

bool own_work::updates() const {
  return std::ranges::count(buffers_, buffer_use::kUpdated, &kernel_buffer::use) > 0;
}

bool own_work::may_vary() const {
  return std::ranges::count(buffers_, true, &kernel_buffer::varies) > 0;
}

std::string own_work::missing_launch(bool on_gpu) const {
  if (on_gpu ? kernel_.what().launch != nullptr : kernel_.what().run_on_host != nullptr) return {};
  return on_gpu ? "the kernel has no launch for a GPU" : "the kernel has no run_on_host for a CPU";
}

index_t own_work::held_bytes() const {
  index_t sum = 0;
  for (const kernel_buffer& buffer : buffers_) sum += buffer.bytes;
  return sum;
}

std::string own_work::accesses() const {
  if (!error_.empty() || !kernel_.what().accesses) return {};
  return called([&] { return kernel_.what().accesses(parameters_); });
}

kernel_image own_work::filled(std::uint64_t seed) const {
  kernel_image image;
  image.in.assign(static_cast<std::size_t>(in_bytes_), kPoison);
  image.out.assign(static_cast<std::size_t>(out_bytes_), kPoison);
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (buffers_[i].fill)
      called([&] {
        // Two buffers of one type do not hold the same.
        buffers_[i].fill(place(image, i), scrambled_word(i, seed));
      });
  return image;
}

std::string own_work::trespass(const kernel_image& before, const kernel_image& after) const {
  // What stands between the end of one buffer and the start of the next, of each side.
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  for (const bool in : {true, false}) {
    const std::vector<unsigned char>& bytes = in ? after.in : after.out;
    index_t end = 0;
    const std::string* previous = nullptr;
    const auto gap = [&](index_t start, const std::string* next) {
      const auto* const from = bytes.data() + end;
      const auto* const to = bytes.data() + start;
      const auto is_changed = [](unsigned char byte) { return byte != kPoison; };
      const auto changed = std::count_if(from, to, is_changed);
      if (changed > 0) {
        const index_t after_end = std::find_if(from, to, is_changed) - from;
        const bool nearer =
            previous != nullptr && (next == nullptr || after_end < start - end - after_end);
        add(std::to_string(changed) + " bytes written outside its buffers, " +
            (nearer ? "after '" + *previous : "before '" + *next) + "'");
      }
    };
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (is_in(buffers_[i]) != in) continue;
      gap(offsets_[i], &buffers_[i].name);
      previous = &buffers_[i].name;
      end = offsets_[i] + buffers_[i].bytes;
    }
    if (previous != nullptr) gap(static_cast<index_t>(bytes.size()), nullptr);
  }
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const kernel_buffer& buffer = buffers_[i];
    if (!is_in(buffer)) continue;
    const index_t at = first_difference(place(before, i), place(after, i), buffer.bytes);
    if (at < buffer.bytes)
      add("input '" + buffer.name + "' was written to, first at byte " + std::to_string(at));
  }
  return text;
}

std::string own_work::fault(const kernel_image& before, kernel_image& after) const {
  const kernel& what = kernel_.what();
  if (what.reference) {
    kernel_image expected = before;
    called([&] { what.reference(arguments(expected.in.data(), expected.out.data())); });
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (is_in(buffers_[i]) || buffers_[i].use == buffer_use::kScratch) continue;
      const std::string found = buffers_[i].compare(place(after, i), place(expected, i));
      if (!found.empty()) return "'" + buffers_[i].name + "': " + found;
    }
  }
  if (!what.check) return {};
  return called([&] { return what.check(arguments(after.in.data(), after.out.data())); });
}

std::string own_work::difference(const kernel_image& one, const kernel_image& other) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const kernel_buffer& buffer = buffers_[i];
    if (is_in(buffer) || buffer.use == buffer_use::kScratch || buffer.varies) continue;
    const index_t at = first_difference(place(one, i), place(other, i), buffer.bytes);
    if (at < buffer.bytes)
      return "'" + buffer.name + "' first at byte " + std::to_string(at) +
             "; if only the order of additions differs, say may_vary()";
  }
  return {};
}

kernel_arguments own_work::arguments(unsigned char* in, unsigned char* out) const {
  std::vector<unsigned char*> places;
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    places.push_back((is_in(buffers_[i]) ? in : out) + offsets_[i]);
  return {parameters_, buffers_, std::move(places)};
}

namespace {

/// Backends hand on inputs as what is only loaded; a launch that stores to them is found out.
unsigned char* bytes_of(const void* data) {
  return static_cast<unsigned char*>(const_cast<void*>(data));
}

}  // namespace

void own_work::run(const launch_data& data) const {
  called([&] { kernel_.what().run_on_host(arguments(bytes_of(data.in), bytes_of(data.out))); });
}

void own_work::launch([[maybe_unused]] const launch_data& data,
                      [[maybe_unused]] CUstream_st* stream) const {
#if defined(__CUDACC__)
  called([&] { kernel_.what().launch(arguments(bytes_of(data.in), bytes_of(data.out)), stream); });
  if (const cudaError_t left = cudaGetLastError(); left != cudaSuccess)
    throw cuda_error(left, "its launch", __FILE__, __LINE__);
#else
  throw std::logic_error("this build has no CUDA kernels");
#endif
}

}  // namespace sectorbench
