// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "bench/cases/row.hpp"

/// @file
/// Workloads whose runs do not do what their pattern says, to see that this is found.

namespace sectorbench::test {

/// Moves the data of one launch: may run the real workload and spoil what it left.
using misdeed = std::function<void(const workload& real, const launch_data& data)>;

/// A workload that means what the real one means and does something else.
class tampered_workload final : public workload {
 public:
  tampered_workload(std::unique_ptr<workload> real, misdeed run)
      : real_(std::move(real)), run_(std::move(run)) {}

  void run(const launch_data& data) const override { run_(*real_, data); }
  void launch(const launch_data& data, CUstream_st* stream) const override {
    real_->launch(data, stream);
  }
  const program& meaning() const override { return real_->meaning(); }
  buffer_bytes needs() const override { return real_->needs(); }

 private:
  std::unique_ptr<workload> real_;
  misdeed run_;
};

/// A row whose workload is tampered with.
class tampered_row {
 public:
  tampered_row(row_spec row, const misdeed& run) : entry_(*row.pattern), row_(std::move(row)) {
    entry_.make = [make = entry_.make, run](operation_kind operation, element_type type, index_t n,
                                            std::span<const index_t> values, block_size block) {
      return std::make_unique<tampered_workload>(make(operation, type, n, values, block), run);
    };
    row_.pattern = &entry_;
  }
  tampered_row(const tampered_row&) = delete;
  tampered_row& operator=(const tampered_row&) = delete;

  const row_spec& spec() const { return row_; }

 private:
  pattern_entry entry_;
  row_spec row_;
};

}  // namespace sectorbench::test
