// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sectorbench/benchmark/kernel.hpp"
#include "sectorbench/execution/registry.hpp"

namespace sectorbench {

/// A kernel that the program's author registered.
class own_kernel {
 public:
  /// @param place "<file>:<line>" where it is registered
  own_kernel(kernel what, std::string place);
  own_kernel(const own_kernel&) = delete;
  own_kernel& operator=(const own_kernel&) = delete;

  const kernel& what() const { return what_; }
  const pattern_entry& entry() const { return entry_; }
  /// Why no row of it can be measured, or "".
  const std::string& error() const { return error_; }
  void refuse(const std::string& error) { error_ = error; }
  std::string place() const { return entry_.short_place(); }

  /// The values of its rows: each combination of the axes'.
  std::vector<std::vector<index_t>> rows() const;
  /// Whether it is measured at these values.
  bool takes(std::span<const index_t> values) const;

 private:
  std::string fault() const;

  kernel what_;
  std::string error_;
  std::vector<parameter_spec> specs_;
  pattern_entry entry_;
};

/// Sorts them by name. Of several of one name the last stays and refuses its rows, as does one
/// called like a pattern.
void settle_names(std::vector<std::unique_ptr<own_kernel>>& kernels);

/// All that are registered, and one that refuses its rows for each ambiguous pattern.
const std::vector<std::unique_ptr<own_kernel>>& own_kernels();

/// What the buffers hold, guards included, in the CPU's memory.
struct kernel_image {
  std::vector<unsigned char> in, out;
};

/// One row of such a kernel. As a program it says how many bytes it declares, and nothing of its
/// accesses.
class own_work final : public program {
 public:
  /// Between buffers, and before the first and after the last.
  static constexpr index_t kGuardBytes = index_t{2} << 20;

  own_work(const own_kernel& kernel, std::span<const index_t> values);

  /// Why the row cannot be measured, or "".
  const std::string& error() const { return error_; }
  bool is_checked() const { return kernel_.what().reference || kernel_.what().check; }
  /// Why a device does not launch it, or "".
  std::string missing_launch(bool on_gpu) const;
  /// Whether a launch goes on with what the last one left.
  bool updates() const;
  /// Whether launches of one input may leave different outputs.
  bool may_vary() const;
  /// Of all buffers.
  index_t held_bytes() const;
  /// The row whose accesses are the kernel's, or "". @throws what the author's callable throws
  std::string accesses() const;

  /// What the buffers shall hold before a launch. @throws what fills throw
  kernel_image filled(std::uint64_t seed) const;
  /// What a launch changed that it must not: guards and inputs; or "".
  std::string trespass(const kernel_image& before, const kernel_image& after) const;
  /// What is wrong with the outputs by reference and check, or "". @throws what they throw
  std::string fault(const kernel_image& before, kernel_image& after) const;
  /// How the outputs of two launches differ, or "".
  std::string difference(const kernel_image& one, const kernel_image& other) const;

  void run(const launch_data& data) const override;
  void launch(const launch_data& data, CUstream_st* stream) const override;
  bool by_author() const override { return true; }
  buffer_bytes needs() const override { return {in_bytes_, out_bytes_}; }

  launch_shape shape() const override { return {}; }
  side_extent loads() const override { return {.touched = bytes_.loads}; }
  side_extent stores() const override { return {.touched = bytes_.stores}; }
  operation_kind operation() const override { return operation_kind::kCopy; }
  element_type type() const override { return element_type::kU8; }
  int together() const override { return 1; }
  std::string_view refusal() const override { return {}; }
  index_t flops() const override { return 0; }
  void prove(const proof_request&) const override {}
  void launch_proof(const proof_request&, CUstream_st*) const override {}
  index_t indices() const override { return 0; }
  void fill_indices(index_entry*) const override {}
  void launch_fill_indices(index_entry*, CUstream_st*) const override {}
  launch_totals totals() const override { return {}; }
  reuse_profile profile() const override { return {}; }

 private:
  void lay_out();
  bool is_in(const kernel_buffer& buffer) const { return buffer.use == buffer_use::kInput; }
  /// The bytes of buffer i in an image.
  template <class Image>
  auto* place(Image& image, std::size_t i) const {
    return (is_in(buffers_[i]) ? image.in : image.out).data() + offsets_[i];
  }
  kernel_arguments arguments(unsigned char* in, unsigned char* out) const;

  const own_kernel& kernel_;
  kernel_parameters parameters_;
  std::string error_;
  std::vector<kernel_buffer> buffers_;
  std::vector<index_t> offsets_;  // of each buffer in its side's memory
  index_t in_bytes_ = 0, out_bytes_ = 0;
  kernel_bytes bytes_;
};

/// The workload as a row of the author's kernel, or null.
inline const own_work* own_work_of(const workload& work) {
  return dynamic_cast<const own_work*>(&work);
}

}  // namespace sectorbench
