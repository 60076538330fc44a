// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sectorbench/model/launch_totals.hpp"
#include "sectorbench/model/reuse_profile.hpp"
#include "sectorbench/pattern/element.hpp"
#include "sectorbench/pattern/launch.hpp"
#include "sectorbench/pattern/launch_mode.hpp"
#include "sectorbench/pattern/operation.hpp"
#include "sectorbench/pattern/pattern.hpp"
#include "sectorbench/verify/proof.hpp"

struct CUstream_st;  // cudaStream_t points to it; host-only builds have no CUDA header

namespace sectorbench {

/// Where one launch works. Pointers are to the aligned starts of the buffers.
struct launch_data {
  const void* in = nullptr;
  void* out = nullptr;
  std::uint64_t seed = 0;                ///< of what `write` makes
  bool keep = false;                     ///< whether `read` stores its checksums
  const index_entry* indices = nullptr;  ///< the index list, if the program has one
  cache_ops ops{};                       ///< @pre the workload has kernels for them
  int shared_bytes = 0;                  ///< of each block, to keep others off its SM
  /// On the CPU: every thread of the calling OpenMP team makes this call, and each does its part,
  /// without a barrier at the end.
  bool by_team = false;
};

/// What a row needs of the buffers, in bytes from their aligned starts.
struct buffer_bytes {
  index_t in = 0;
  index_t out = 0;
  index_t indices = 0;  ///< of the index list
};

/// Something that moves bytes and can be timed: type-erased, so that neither backends nor fixtures
/// know patterns.
class workload {
 public:
  virtual ~workload() = default;

  /// Moves the data on the CPU's cores.
  virtual void run(const launch_data& data) const = 0;
  /// Whether the program's author wrote it: then one thread calls `run`, and it may never end.
  virtual bool by_author() const { return false; }
  /// Queues the move in a stream. @throws cuda_error
  virtual void launch(const launch_data& data, CUstream_st* stream) const = 0;
  /// The program whose body says what `run` and `launch` must leave behind.
  virtual const class program& meaning() const = 0;
  /// Whether there is a kernel with these cache operators.
  virtual bool takes(const cache_ops& ops) const { return ops.plain(); }
  /// Shared memory for `launch_data` so that an SM holds at most `blocks` of its blocks, 0 if it
  /// holds no more anyway. Makes the launch with it possible. @throws cuda_error
  virtual int shared_bytes_for(int /*blocks*/, const cache_ops&) const { return 0; }
  /// Blocks that an SM of the current device holds at a time, 0 if that is not known. @throws
  /// cuda_error
  virtual int blocks_per_sm(const cache_ops&, int /*shared_bytes*/) const { return 0; }
  /// Bytes needed of the buffers, the checksums of `read` included.
  virtual buffer_bytes needs() const = 0;
};

/// One pattern with its values bound, under one operation, for one element type.
class program : public workload {
 public:
  virtual launch_shape shape() const = 0;
  virtual side_extent loads() const = 0;
  virtual side_extent stores() const = 0;
  virtual operation_kind operation() const = 0;
  virtual element_type type() const = 0;
  /// Elements that one access of a thread moves.
  virtual int together() const = 0;
  /// Why it cannot be launched with its n and values; empty if it can.
  virtual std::string_view refusal() const = 0;
  /// Floating-point operations of one launch, or 0.
  virtual index_t flops() const = 0;

  /// Runs the body against the proof memory on the CPU's cores.
  virtual void prove(const proof_request& request) const = 0;
  /// Queues the same in a stream; the request's pointers are the device's. @throws cuda_error
  virtual void launch_proof(const proof_request& request, CUstream_st* stream) const = 0;
  /// Entries of the index list, or 0.
  virtual index_t indices() const = 0;
  /// Entries that one launch loads, repeated ones counted repeatedly.
  virtual index_t index_loads() const { return indices(); }
  /// Makes the index list on the CPU's cores.
  virtual void fill_indices(index_entry* list) const = 0;
  /// Queues the same in a stream, for a list in device memory. @throws cuda_error
  virtual void launch_fill_indices(index_entry* list, CUstream_st* stream) const = 0;
  /// What one launch asks for, by the sector model.
  virtual launch_totals totals() const = 0;
  /// Threads that `totals` and `profile` may have to walk, each for tens of nanoseconds.
  virtual index_t walked_threads() const { return shape().threads(); }
  /// When one launch comes back to what it has touched, for the traffic model.
  virtual reuse_profile profile() const = 0;

  const program& meaning() const final { return *this; }
  buffer_bytes needs() const override;

  /// Elements that one launch makes something of: as many as it stores, if it stores any.
  index_t elements() const {
    return stores_elements(operation()) ? stores().moved() : loads().moved();
  }
  /// Bytes that the program asks for in one launch: loads and stores.
  index_t useful_bytes() const;
  /// The distinct ones of them.
  index_t unique_bytes() const;
  /// Bytes of the index list that it asks for, which are none of them.
  index_t index_bytes() const { return index_loads() * index_t{sizeof(index_entry)}; }
};

}  // namespace sectorbench
