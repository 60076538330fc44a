// SPDX-License-Identifier: Apache-2.0
#if SECTORBENCH_HAS_CUDA

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>

#include "bench/devices/backend.hpp"
#include "bench/devices/proof_layout.hpp"
#include "bench/support/build_info.hpp"
#include "bench/support/format.hpp"
#include "bench/telemetry/gpu_observer.hpp"
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

/// Memory that only grows; growing discards what it held.
class growing_buffer {
 public:
  /// The measured GPU's memory.
  growing_buffer() = default;
  /// Memory elsewhere. @param peer the other GPU, if it is its memory
  growing_buffer(memory_space space, int peer) : space_(space), peer_(peer) {}

  void grow_to(index_t bytes) {
    if (bytes <= this->bytes()) return;
    buffer_.reset();
    if (space_ == memory_space::kPinned)
      buffer_ = device_buffer::pinned(bytes);
    else if (space_ == memory_space::kPeer)
      buffer_ = device_buffer::on(peer_, bytes);
    else
      buffer_.emplace(bytes);
  }
  bool is_elsewhere() const { return space_ != memory_space::kDevice; }
  void release() { buffer_.reset(); }
  unsigned char* data() const { return buffer_ ? buffer_->as<unsigned char>() : nullptr; }
  index_t bytes() const { return buffer_ ? buffer_->bytes() : 0; }

 private:
  memory_space space_ = memory_space::kDevice;
  int peer_ = -1;
  std::optional<device_buffer> buffer_;
};

/// The first other GPU whose memory the current one reaches, made reachable; none if there is none.
/// @throws cuda_error
std::optional<int> reachable_peer(int device) {
  int count = 0;
  SECTORBENCH_CUDA_CHECK(cudaGetDeviceCount(&count));
  for (int peer = 0; peer < count; ++peer) {
    int reaches = 0;
    if (peer == device) continue;
    SECTORBENCH_CUDA_CHECK(cudaDeviceCanAccessPeer(&reaches, device, peer));
    if (reaches == 0) continue;
    const cudaError_t enabled = cudaDeviceEnablePeerAccess(peer, 0);
    if (enabled == cudaErrorPeerAccessAlreadyEnabled)
      static_cast<void>(cudaGetLastError());
    else
      SECTORBENCH_CUDA_CHECK(enabled);
    return peer;
  }
  return std::nullopt;
}

/// Writes a buffer of twice L2, so that L2 holds nothing else.
class l2_flusher {
 public:
  /// Flushes once, so that nothing remains to be loaded. @throws cuda_error
  l2_flusher(std::int64_t l2_bytes, cudaStream_t stream) : buffer_(2 * l2_bytes) { flush(stream); }

  /// Queues the writing. @throws cuda_error
  void flush(cudaStream_t stream) {
    SECTORBENCH_CUDA_CHECK(
        cudaMemsetAsync(buffer_.data(), 0x5a, static_cast<std::size_t>(buffer_.bytes()), stream));
  }

 private:
  device_buffer buffer_;
};

/// The device that this thread used last.
int& device_in_use() {
  static int device = -1;
  return device;
}

void set_fetch_granularity(int bytes) {
  // Before the context's first kernel; later it is taken note of and has no effect.
  SECTORBENCH_CUDA_CHECK(
      cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, static_cast<std::size_t>(bytes)));
}

std::string fetch_granularity() {
  std::size_t bytes = 0;
  SECTORBENCH_CUDA_CHECK(cudaDeviceGetLimit(&bytes, cudaLimitMaxL2FetchGranularity));
  return std::to_string(bytes);
}

class cuda_backend final : public backend {
 public:
  cuda_backend(int device, const cuda_settings& settings, const observer_settings& observed)
      : settings_(settings) {
    SECTORBENCH_CUDA_CHECK(cudaSetDevice(device));
    device_in_use() = device;
    if (settings_.l2_fetch_granularity) set_fetch_granularity(*settings_.l2_fetch_granularity);
    info_ = query_device(device);
    place_buffers();
    stream_.emplace();
    tally_ = device_buffer(sizeof(proof_tally));
    counts_ = device_buffer(sizeof(coverage_counts));
    if (settings_.blocking) blocker_.emplace();
    if (settings_.caches == cache_mode::kCold) flusher_.emplace(info_.l2_bytes, stream_->get());
    event_floor_s_ = measure_event_floor_s(stream_->get(), blocker());
    clock_ = clock_settler().settle(stream_->get());
    clock_meter_.emplace(stream_->get());
    observe(observed);
  }

  std::optional<int> index() const override { return info_.index; }

  void activate() override {
    if (device_in_use() == info_.index) return;
    SECTORBENCH_CUDA_CHECK(cudaSetDevice(info_.index));
    device_in_use() = info_.index;
    clock_settler().settle(stream_->get());  // it stood idle meanwhile
  }

  std::string_view name() const override { return "cuda"; }

  evidence facts() const override {
    const auto number = [](auto value) { return std::to_string(value); };
    const char* const loading = std::getenv("CUDA_MODULE_LOADING");
    const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
    evidence facts{
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
        {"gpu.peak_bytes_per_s",
         observer_->is_mig_instance() ? "slice: unknown" : format_exact(peak_bytes_per_s())},
        {"gpu.peak_f32_flops",
         observer_->is_mig_instance() ? "slice: unknown" : format_exact(peak_f32_flops())},
        {"gpu.balance_flops_per_byte", peak_f32_flops() > 0 && peak_bytes_per_s() > 0
                                           ? format_fixed(peak_f32_flops() / peak_bytes_per_s(), 2)
                                           : "unknown"},
        {"gpu.ecc", info_.ecc ? "on" : "off"},
        {"cuda.driver_release", info_.driver_release},
        {"cuda.driver", cuda_version_text(info_.driver_version)},
        {"cuda.runtime", cuda_version_text(info_.runtime_version)},
        {"cuda.toolkit", kBuildInfo.cuda_toolkit},
        {"cuda.architectures", kBuildInfo.cuda_architectures},
        {"cuda.architecture_loaded", number(loaded_architecture())},
        {"cuda.flags", kBuildInfo.cuda_flags},
        {"cuda.module_loading", loading != nullptr ? loading : "LAZY (default)"},
        {"cuda.visible_devices", visible != nullptr ? visible : "all"},
        {"cuda.l2_fetch_granularity", fetch_granularity()},
        {"cuda.l2_fetch_granularity_set", settings_.l2_fetch_granularity ? "yes" : "no"},
        {"cuda.load_op", std::string(name_of(settings_.cache_operators.loads))},
        {"cuda.store_op", std::string(name_of(settings_.cache_operators.stores))},
        {"cuda.occupancy", settings_.occupancy
                               ? number(*settings_.occupancy) + " blocks per SM at most"
                               : "no limit"},
        {"memory_space", settings_.space.text()},
        {"peer.index", peer_ ? number(*peer_) : "none"},
        {"peer.uuid", peer_ ? query_device(*peer_).uuid : "none"},
        {"blocking", settings_.blocking ? "on" : "off"},
        {"blocking.reason", settings_.blocking_reason},
        {"event.floor_us", format_fixed(event_floor_s_ * 1e6, 3)},
        {"clock.settled", clock_.settled ? "yes" : "no"},
        {"clock.settle_s", format_fixed(clock_.settle_s, 4)},
        {"clock.sm_mhz", format_fixed(clock_.sm_clock_hz * 1e-6, 1)},
        {"cache.flush_proof", flush_proof_},
    };
    for (auto& fact : observer_->facts()) facts.push_back(std::move(fact));
    return facts;
  }

  std::string headline() const override {
    return info_.name + " (" + std::to_string(info_.sm_count) + " SMs, L2 " +
           format_bytes(info_.l2_bytes) + ", peak " +
           (peak_bytes_per_s() > 0 ? format_fixed(peak_bytes_per_s() * 1e-9, 1) + " GB/s"
                                   : std::string("unknown")) +
           ", ECC " + (info_.ecc ? "on" : "off") + "), driver " + info_.driver_release +
           ", SM clock " + format_fixed(clock_.sm_clock_hz * 1e-6, 0) + " MHz";
  }
  double peak_bytes_per_s() const override {
    // Of memory elsewhere the bus is another.
    if (!settings_.space.is_device()) return 0;
    return observer_->is_mig_instance() ? 0 : info_.peak_bytes_per_s();
  }
  double peak_f32_flops() const override {
    return observer_->is_mig_instance() ? 0 : info_.peak_f32_flops();
  }
  std::optional<gpu_geometry> geometry() const override {
    return gpu_geometry{info_.name,
                        device_key(info_.name),
                        "sm_" + std::to_string(info_.compute_major * 10 + info_.compute_minor),
                        info_.sm_count,
                        info_.threads_per_sm,
                        static_cast<double>(info_.l1_bytes),
                        clock_.sm_clock_hz};
  }
  index_t last_cache_bytes() const override { return info_.l2_bytes; }
  std::string_view last_cache_name() const override { return "l2"; }

  void acquire(const workload& work) override {
    refuse_unfit(work);
    refuse_what_settings_exclude(work);
    limit_s_ = work.by_author() ? launch_limit_s_ : 0;
    const buffer_plan plan = plan_buffers(work, kGuardBytes);
    index_t held = coverage_.bytes() + indices_.bytes();
    index_t needed = plan.coverage + plan.indices;
    const auto add = [&](const growing_buffer& buffer, index_t bytes) {
      if (buffer.is_elsewhere()) return;
      held += buffer.bytes();
      needed += bytes;
    };
    add(in_, plan.in);
    add(out_, plan.out);
    const index_t available = query_memory().free_bytes + held;
    if (needed > available) throw not_applicable(does_not_fit(work, needed, available));
    const launch_shape shape = work.meaning().shape();
    if (!shape.fits_gpu())
      throw not_applicable("the grid of " + std::to_string(shape.grid_x) + " x " +
                           std::to_string(shape.grid_y) + " x " + std::to_string(shape.grid_z) +
                           " blocks exceeds the GPU's limits; take larger blocks (--block=)");
    try {
      grow(plan);
    } catch (const cuda_error& error) {
      if (error.code() != cudaErrorMemoryAllocation) throw;
      throw not_applicable(does_not_fit(work, plan.total(), available));
    }
    plan_ = plan;
    limit_occupancy(work);
    if (plan.indices > 0) {
      work.meaning().launch_fill_indices(indices(), stream_->get());
      wait();
    }
  }

  void bound_launches(double seconds) override { launch_limit_s_ = seconds; }

  void put(const kernel_image& image) override {
    const auto copy = [&](void* to, const std::vector<unsigned char>& from) {
      if (!from.empty())
        SECTORBENCH_CUDA_CHECK(
            cudaMemcpyAsync(to, from.data(), from.size(), cudaMemcpyDefault, stream_->get()));
    };
    copy(in_.data(), image.in);
    copy(output(), image.out);
    wait();
  }

  void get(kernel_image& image) override {
    get_by(stream_->get(), image);
    wait();
  }

  bool get_while_held(const workload& work, kernel_image& image) override {
    constexpr std::chrono::milliseconds kForOthers{10};  // to do what they do
    if (!blocker_) return false;
    const cuda_stream other;
    blocker_->hold(stream_->get());
    try {
      work.launch(data(0, true), stream_->get());
      std::this_thread::sleep_for(kForOthers);
      get_by(other.get(), image);
      other.synchronize();
    } catch (...) {
      blocker_->release();
      throw;
    }
    blocker_->release();
    wait();
    return !blocker_->gave_up();
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
    const proof_request request =
        counting_request(body, in_.data(), output(), bits, tally_.as<proof_tally>());
    const proof_tally tally = run_proof(body, request);
    return judge(body, request, tally, [&](const side_extent& extent, const coverage_bits& side) {
      write_to_device(counts_, coverage_counts{});
      launch_count_coverage(extent, side, counts_.as<coverage_counts>(), stream_->get());
      return read_from_device<coverage_counts>(counts_);
    });
  }

  comparison compare(const program& body, std::uint64_t seed) override {
    auto* const bits = reinterpret_cast<std::uint32_t*>(coverage_.data());
    if (leaves_gaps(body))
      SECTORBENCH_CUDA_CHECK(
          cudaMemsetAsync(bits, 0, static_cast<std::size_t>(plan_.coverage), stream_->get()));
    proof_request request = comparing_request(body, seed, output(), bits, tally_.as<proof_tally>());
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
    if (leaves_gaps(body))
      launch_count_stray(output() + begin, body.stores().elements, size_of(body.type()), bits,
                         strayed, stream_->get());
    result.strayed = read_from_device<proof_tally>(tally_).wrong;
    return result;
  }

  timed_sample time(const workload& work, std::uint64_t seed, int launches,
                    bool blocking) override {
    stream_blocker* const holder = blocking ? blocker() : nullptr;
    if (holder != nullptr) {
      try {
        return time_held(work, seed, launches, holder);
      } catch (const blocking_failed&) {
        blocker_.reset();  // the host waits for the device here: hold nothing back any more
      }
    }
    return time_held(work, seed, launches, nullptr);
  }
  int blocks_per_sm(const workload& work) override {
    return work.blocks_per_sm(settings_.cache_operators, shared_bytes_);
  }
  void limit_blocks(std::optional<int> blocks) override { fewer_blocks_ = blocks; }
  int max_launches() const override {
    return flusher_ ? kMaxBlockedLaunchesApart : kMaxBlockedLaunches;
  }
  double event_floor_s() const override { return event_floor_s_; }

  source_status counters() const override { return observer_->counters(); }
  metric_values count(const workload& work, std::uint64_t seed) override {
    const auto launch = [&] { run_once(work, seed, false); };
    const auto flush = [&] {
      flusher_->flush(stream_->get());
      wait();
    };
    if (flusher_) return observer_->count(flush, launch);
    return observer_->count(launch, launch);
  }
  source_status clock_check() const override { return observer_->clock_check(); }
  batch_trace trace(const workload& work, std::uint64_t seed, int launches,
                    bool blocking) override {
    batch_trace traced =
        observer_->trace([&] { return time(work, seed, launches, blocking).elapsed_s; });
    traced.kernel_s *= static_cast<double>(traced.kernels) / launches;
    return traced;
  }
  gpu_condition condition() override { return observer_->condition(); }
  std::optional<device_reading> watch(const workload& work, std::uint64_t seed,
                                      int launches) override {
    device_reading state;
    const launch_data arguments = data(seed, false);
    clock_meter_->begin(stream_->get());
    for (int i = 0; i < launches; ++i) work.launch(arguments, stream_->get());
    clock_meter_->end(stream_->get());
    state.condition = observer_->condition();  // while they run
    wait();
    state.sm_clock_hz = clock_meter_->clock_hz();
    return state;
  }

 private:
  /// Queues the reading of the buffers.
  void get_by(cudaStream_t stream, kernel_image& image) const {
    const auto copy = [&](std::vector<unsigned char>& to, const void* from) {
      if (!to.empty())
        SECTORBENCH_CUDA_CHECK(
            cudaMemcpyAsync(to.data(), from, to.size(), cudaMemcpyDefault, stream));
    };
    copy(image.in, in_.data());
    copy(image.out, output());
  }

  void place_buffers() {
    if (settings_.space.is_device()) return;
    if (settings_.space.space == memory_space::kPeer) peer_ = reachable_peer(info_.index);
    (settings_.space.stores ? out_ : in_) =
        growing_buffer(settings_.space.space, peer_.value_or(-1));
  }

  void refuse_what_settings_exclude(const workload& work) const {
    const cache_ops& ops = settings_.cache_operators;
    if (!work.takes(ops))
      throw not_applicable("no kernel with --load_op=" + std::string(name_of(ops.loads)) +
                           " and --store_op=" + std::string(name_of(ops.stores)) +
                           ": contiguous and stride of f32 and f32x4 have some under copy, read "
                           "and write");
    const space_choice& space = settings_.space;
    if (space.is_device()) return;
    if (space.space == memory_space::kPeer && !peer_)
      throw not_applicable("--space=" + space.text() +
                           ": there is no other GPU whose memory this one reaches");
    const operation_kind operation = work.meaning().operation();
    if (!(space.stores ? stores_elements(operation) : loads_elements(operation)))
      throw not_applicable("--space=" + space.text() + ": the row has no " +
                           std::string(space.side()));
  }

  void limit_occupancy(const workload& work) {
    shared_bytes_ = 0;
    const std::optional<int> most = fewer_blocks_ ? fewer_blocks_ : settings_.occupancy;
    if (!most) return;
    shared_bytes_ = work.shared_bytes_for(*most, settings_.cache_operators);
    if (const int blocks = blocks_per_sm(work); blocks > *most)
      throw not_applicable("--occupancy=" + std::to_string(*most) +
                           ": shared memory does not keep an SM from holding " +
                           std::to_string(blocks) + " blocks of this row");
  }

  void observe(const observer_settings& settings) {
    static_assert(observed_gpu::kProbeSectors * kSectorBytes % 8 == 0);
    constexpr index_t kBytes = index_t{observed_gpu::kProbeSectors} * kSectorBytes;
    const device_buffer probe(kBytes);
    observed_gpu gpu{info_.index, info_.uuid, info_.pci_bus_id, [&] {
                       launch_fill(probe.data(), kBytes / 8, 0, stream_->get());
                       wait();
                     }};
    gpu.store_probe();  // loads its module
    observer_.emplace(settings, gpu);
    if (flusher_) flush_proof_ = prove_flush();
  }

  /// Reads a buffer that fits in L2, after itself and after a flush.
  std::string prove_flush() {
    const source_status counters = observer_->counters();
    if (!counters.on) return "not proven, as there are no counters: " + counters.reason;
    constexpr double kFlushed = 0.01;  // as a share of hits
    const index_t bytes = std::min(index_t{4} << 20, info_.l2_bytes / 4);
    const device_buffer small(bytes);
    // Whole lines: of single sectors L2 fetches the neighbour too, which would then be a hit.
    auto* const words = small.as<std::uint32_t>();
    const index_t half = bytes / 8;
    const auto read_small = [&] {
      launch_count_coverage({half * 32}, {words, words + half}, counts_.as<coverage_counts>(),
                            stream_->get());
      wait();
    };
    try {
      const std::string prefix = "lts__t_sectors_srcunit_tex_op_read";
      const auto reader =
          open_hardware_counters(info_.index, {prefix + ".sum", prefix + "_lookup_hit.sum"});
      if (reader->metrics().size() != 2)
        return "not proven: L2 hits are not offered by " + reader->chip();
      const auto prepare = [&](int range) {
        read_small();
        if (range == 1) flusher_->flush(stream_->get());
        wait();
      };
      const auto counted = reader->read(2, prepare, [&](int) { read_small(); });
      const double warm = counted[0][1] / counted[0][0];
      const double cold = counted[1][1] / counted[1][0];
      const bool proven = warm > 0.5 && cold < kFlushed;
      return std::string(proven ? "proven" : "NOT PROVEN") + ": L2 hits of reading " +
             format_bytes(bytes) + ": " + format_percent(warm, 1) + " again, " +
             format_percent(cold, 1) + " after the flush";
    } catch (const cupti_unavailable& why) {
      return std::string("not proven: ") + why.what();
    }
  }

  timed_sample time_held(const workload& work, std::uint64_t seed, int launches,
                         stream_blocker* holder) {
    const launch_data arguments = data(seed, false);
    const auto enqueue = [&] { work.launch(arguments, stream_->get()); };
    const auto flush = [&] { flusher_->flush(stream_->get()); };
    const batch_time batch =
        flusher_ ? time_launches_apart(stream_->get(), launches, flush, enqueue, holder, limit_s_)
                 : time_batch(stream_->get(), launches, enqueue, holder, limit_s_);
    return {batch.elapsed_s, batch.blocked};
  }

  void grow(const buffer_plan& plan) {
    const auto fits = [](const growing_buffer& buffer, index_t bytes) {
      return buffer.bytes() >= bytes;
    };
    // What must grow goes first, so that old and new never stand side by side.
    if (!fits(in_, plan.in)) in_.release();
    if (!fits(out_, plan.out)) out_.release();
    if (!fits(coverage_, plan.coverage)) coverage_.release();
    if (!fits(indices_, plan.indices)) indices_.release();
    try {
      in_.grow_to(plan.in);
      out_.grow_to(plan.out);
      coverage_.grow_to(plan.coverage);
      indices_.grow_to(plan.indices);
    } catch (const cuda_error&) {
      in_.release();
      out_.release();
      coverage_.release();
      indices_.release();
      throw;
    }
  }

  proof_tally run_proof(const program& body, const proof_request& request) {
    write_to_device(tally_, proof_tally{});
    body.launch_proof(request, stream_->get());
    if (request.matched != nullptr) launch_count_unmatched(request, stream_->get());
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

  void wait() { wait_for(stream_->get(), limit_s_); }
  unsigned char* output() const { return out_.data() + kGuardBytes; }
  index_entry* indices() const { return reinterpret_cast<index_entry*>(indices_.data()); }
  launch_data data(std::uint64_t seed, bool keep) const {
    return {in_.data(), output(), seed, keep, indices(), settings_.cache_operators, shared_bytes_};
  }
  stream_blocker* blocker() { return blocker_ ? &*blocker_ : nullptr; }

  cuda_settings settings_;
  device_info info_;
  std::optional<cuda_stream> stream_;
  std::optional<stream_blocker> blocker_;
  device_buffer tally_, counts_;
  growing_buffer in_, out_, coverage_, indices_;
  std::optional<l2_flusher> flusher_;
  std::optional<sm_clock_meter> clock_meter_;
  std::optional<gpu_observer> observer_;
  std::string flush_proof_ = "no flush: --cache=warm";
  buffer_plan plan_;
  std::optional<int> peer_;
  int shared_bytes_ = 0;             // of the acquired workload's blocks
  std::optional<int> fewer_blocks_;  // than the settings say, for a counterfactual
  double event_floor_s_ = 0;
  double launch_limit_s_ = 0;  // of the author's kernels
  double limit_s_ = 0;         // of the acquired workload
  settled_clock clock_;
};

}  // namespace

std::unique_ptr<backend> make_cuda_backend(int device_index, const cuda_settings& settings,
                                           const observer_settings& observed) {
  return std::make_unique<cuda_backend>(device_index, settings, observed);
}

}  // namespace sectorbench

#endif
