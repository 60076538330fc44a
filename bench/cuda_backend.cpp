// SPDX-License-Identifier: Apache-2.0
#if SECTORBENCH_HAS_CUDA

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <optional>

#include "bench/backend.hpp"
#include "bench/build_info.hpp"
#include "bench/format.hpp"
#include "bench/proof_layout.hpp"
#include "kernels/buffers.hpp"
#include "kernels/timing.hpp"
#include "sectorbench/cuda/buffer.hpp"
#include "sectorbench/cuda/device.hpp"
#include "sectorbench/cuda/stream.hpp"

namespace sectorbench {
namespace {

/// Guards are as large as the pages of GPU memory, so that the output starts like an allocation of
/// its own: a shift by 256 bytes against the input changes the time of some patterns.
constexpr index_t kGuardBytes = index_t{2} << 20;

/// Device memory that only grows; growing discards what it held.
class growing_buffer {
 public:
  void grow_to(index_t bytes) {
    if (bytes <= this->bytes()) return;
    buffer_.reset();
    buffer_.emplace(bytes);
  }
  void release() { buffer_.reset(); }
  unsigned char* data() const { return buffer_ ? buffer_->as<unsigned char>() : nullptr; }
  index_t bytes() const { return buffer_ ? buffer_->bytes() : 0; }

 private:
  std::optional<device_buffer> buffer_;
};

class cuda_backend final : public backend {
 public:
  cuda_backend(int device, const cuda_settings& settings) : settings_(settings) {
    SECTORBENCH_CUDA_CHECK(cudaSetDevice(device));
    info_ = query_device(device);
    stream_.emplace();
    tally_ = device_buffer(sizeof(proof_tally));
    counts_ = device_buffer(sizeof(coverage_counts));
    if (settings_.blocking) blocker_.emplace();
    event_floor_s_ = measure_event_floor_s(stream_->get(), blocker());
    clock_ = clock_settler().settle(stream_->get());
  }

  std::string_view name() const override { return "cuda"; }

  evidence facts() const override {
    const auto number = [](auto value) { return std::to_string(value); };
    const char* const loading = std::getenv("CUDA_MODULE_LOADING");
    return {
        {"gpu.index", number(info_.index)},
        {"gpu.name", info_.name},
        {"gpu.uuid", info_.uuid},
        {"gpu.pci_bus_id", info_.pci_bus_id},
        {"gpu.compute_capability", number(info_.compute_major) + "." + number(info_.compute_minor)},
        {"gpu.sm_count", number(info_.sm_count)},
        {"gpu.l2_bytes", number(info_.l2_bytes)},
        {"gpu.memory_bytes", number(info_.memory_bytes)},
        {"gpu.memory_clock_khz", number(info_.memory_clock_khz)},
        {"gpu.memory_bus_bits", number(info_.memory_bus_bits)},
        {"gpu.peak_bytes_per_s", format_exact(info_.peak_bytes_per_s())},
        {"gpu.ecc", info_.ecc ? "on" : "off"},
        {"cuda.driver_release", info_.driver_release},
        {"cuda.driver", cuda_version_text(info_.driver_version)},
        {"cuda.runtime", cuda_version_text(info_.runtime_version)},
        {"cuda.toolkit", kBuildInfo.cuda_toolkit},
        {"cuda.architectures", kBuildInfo.cuda_architectures},
        {"cuda.module_loading", loading != nullptr ? loading : "LAZY (default)"},
        {"blocking", settings_.blocking ? "on" : "off"},
        {"blocking.reason", settings_.blocking_reason},
        {"event.floor_us", format_fixed(event_floor_s_ * 1e6, 3)},
        {"clock.settled", clock_.settled ? "yes" : "no"},
        {"clock.settle_s", format_fixed(clock_.settle_s, 4)},
        {"clock.sm_mhz", format_fixed(clock_.sm_clock_hz * 1e-6, 1)},
    };
  }

  std::string headline() const override {
    return info_.name + " (" + std::to_string(info_.sm_count) + " SMs, L2 " +
           format_bytes(info_.l2_bytes) + ", peak " +
           (info_.peak_bytes_per_s() > 0
                ? format_fixed(info_.peak_bytes_per_s() * 1e-9, 1) + " GB/s"
                : std::string("unknown")) +
           ", ECC " + (info_.ecc ? "on" : "off") + "), driver " + info_.driver_release +
           ", SM clock " + format_fixed(clock_.sm_clock_hz * 1e-6, 0) + " MHz";
  }
  double peak_bytes_per_s() const override { return info_.peak_bytes_per_s(); }
  index_t last_cache_bytes() const override { return info_.l2_bytes; }
  std::string_view last_cache_name() const override { return "l2"; }

  void acquire(const workload& work) override {
    const buffer_plan plan = plan_buffers(work, kGuardBytes);
    const index_t held = in_.bytes() + out_.bytes() + coverage_.bytes();
    const index_t available = query_memory().free_bytes + held;
    if (plan.total() > available) throw not_applicable(does_not_fit(plan.total(), available));
    const launch_shape shape = work.meaning().shape();
    if (!shape.fits_gpu())
      throw not_applicable("the grid of " + std::to_string(shape.grid_x) + " x " +
                           std::to_string(shape.grid_y) + " x " + std::to_string(shape.grid_z) +
                           " blocks exceeds the GPU's limits; take larger blocks (--block=)");
    try {
      grow(plan);
    } catch (const cuda_error& error) {
      if (error.code() != cudaErrorMemoryAllocation) throw;
      throw not_applicable(does_not_fit(plan.total(), available));
    }
    plan_ = plan;
  }

  void fill_input(std::uint64_t seed) override {
    launch_fill(in_.data(), plan_.in / 8, seed, stream_->get());
    wait();
  }

  void poison_output() override {
    SECTORBENCH_CUDA_CHECK(
        cudaMemsetAsync(out_.data(), kPoison, static_cast<std::size_t>(plan_.out), stream_->get()));
    wait();
  }

  void run_once(const workload& work, std::uint64_t seed, bool keep) override {
    work.launch(data(seed, keep), stream_->get());
    wait();
  }

  coverage_verdict prove(const program& body) override {
    auto* const bits = reinterpret_cast<std::uint32_t*>(coverage_.data());
    SECTORBENCH_CUDA_CHECK(
        cudaMemsetAsync(bits, 0, static_cast<std::size_t>(plan_.coverage), stream_->get()));
    const proof_request request = counting_request(body, bits, tally_.as<proof_tally>());
    const proof_tally tally = run_proof(body, request);
    return judge(body, request, tally, [&](const side_extent& extent, const coverage_bits& side) {
      write_to_device(counts_, coverage_counts{});
      launch_count_coverage(extent, side, counts_.as<coverage_counts>(), stream_->get());
      return read_from_device<coverage_counts>(counts_);
    });
  }

  comparison compare(const program& body, std::uint64_t seed) override {
    proof_request request = comparing_request(body, seed, output(), tally_.as<proof_tally>());
    proof_tally tally = run_proof(body, request);
    comparison result{tally.wrong, static_cast<index_t>(tally.first_wrong), {}, {}, 0};
    if (tally.wrong > 0) {
      request.probe = tally.first_wrong;
      tally = run_proof(body, request);
      result.expected = tally.expected;
      result.got = tally.got;
    }
    const auto [begin, end] = stored_bytes(body);
    const unsigned char* const after = output() + end;
    unsigned long long* const strayed = &tally_.as<proof_tally>()->wrong;
    write_to_device(tally_, proof_tally{});
    launch_count_unpoisoned(out_.data(), kGuardBytes + begin, strayed, stream_->get());
    launch_count_unpoisoned(after, out_.data() + plan_.out - after, strayed, stream_->get());
    result.strayed = read_from_device<proof_tally>(tally_).wrong;
    return result;
  }

  timed_sample time(const workload& work, std::uint64_t seed, int launches,
                    bool blocking) override {
    const launch_data arguments = data(seed, false);
    const auto enqueue = [&] { work.launch(arguments, stream_->get()); };
    stream_blocker* const holder = blocking ? blocker() : nullptr;
    if (holder != nullptr) {
      try {
        const batch_time batch = time_batch(stream_->get(), launches, enqueue, holder);
        return {batch.elapsed_s, batch.blocked};
      } catch (const blocking_failed&) {
        blocker_.reset();  // the host waits for the device here: hold nothing back any more
      }
    }
    const batch_time batch = time_batch(stream_->get(), launches, enqueue, nullptr);
    return {batch.elapsed_s, batch.blocked};
  }
  int max_launches() const override { return kMaxBlockedLaunches; }

 private:
  void grow(const buffer_plan& plan) {
    const auto fits = [](const growing_buffer& buffer, index_t bytes) {
      return buffer.bytes() >= bytes;
    };
    // What must grow goes first, so that old and new never stand side by side.
    if (!fits(in_, plan.in)) in_.release();
    if (!fits(out_, plan.out)) out_.release();
    if (!fits(coverage_, plan.coverage)) coverage_.release();
    try {
      in_.grow_to(plan.in);
      out_.grow_to(plan.out);
      coverage_.grow_to(plan.coverage);
    } catch (const cuda_error&) {
      in_.release();
      out_.release();
      coverage_.release();
      throw;
    }
  }

  proof_tally run_proof(const program& body, const proof_request& request) {
    write_to_device(tally_, proof_tally{});
    body.launch_proof(request, stream_->get());
    return read_from_device<proof_tally>(tally_);
  }
  template <class T>
  void write_to_device(const device_buffer& to, const T& value) {
    SECTORBENCH_CUDA_CHECK(
        cudaMemcpyAsync(to.data(), &value, sizeof value, cudaMemcpyHostToDevice, stream_->get()));
    wait();
  }
  template <class T>
  T read_from_device(const device_buffer& from) {
    T value;
    SECTORBENCH_CUDA_CHECK(
        cudaMemcpyAsync(&value, from.data(), sizeof value, cudaMemcpyDeviceToHost, stream_->get()));
    wait();
    return value;
  }

  void wait() { SECTORBENCH_CUDA_CHECK(cudaStreamSynchronize(stream_->get())); }
  unsigned char* output() const { return out_.data() + kGuardBytes; }
  launch_data data(std::uint64_t seed, bool keep) const {
    return {in_.data(), output(), seed, keep};
  }
  stream_blocker* blocker() { return blocker_ ? &*blocker_ : nullptr; }

  cuda_settings settings_;
  device_info info_;
  std::optional<cuda_stream> stream_;
  std::optional<stream_blocker> blocker_;
  device_buffer tally_, counts_;
  growing_buffer in_, out_, coverage_;
  buffer_plan plan_;
  double event_floor_s_ = 0;
  settled_clock clock_;
};

}  // namespace

std::unique_ptr<backend> make_cuda_backend(int device_index, const cuda_settings& settings) {
  return std::make_unique<cuda_backend>(device_index, settings);
}

}  // namespace sectorbench

#endif
