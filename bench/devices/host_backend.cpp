// SPDX-License-Identifier: Apache-2.0
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <future>
#include <memory>
#include <new>
#include <span>
#include <thread>
#include <type_traits>
#include <vector>

#include "bench/devices/backend.hpp"
#include "bench/devices/disturbance.hpp"
#include "bench/devices/host_info.hpp"
#include "bench/devices/proof_layout.hpp"
#include "bench/support/format.hpp"
#include "kernels/buffers.hpp"
#include "kernels/timing.hpp"

namespace sectorbench {
namespace {

constexpr index_t kPageBytes = 4096;
constexpr index_t kGuardBytes = kPageBytes;

/// Memory from the system, aligned like a page; its pages are the first writer's.
class host_buffer {
 public:
  void grow_to(index_t bytes) {
    if (bytes <= bytes_) return;
    data_.reset();
    bytes_ = 0;
    const index_t rounded = groups_of(kPageBytes, bytes) * kPageBytes;
    data_.reset(std::aligned_alloc(kPageBytes, static_cast<std::size_t>(rounded)));
    if (!data_) throw std::bad_alloc();
    bytes_ = rounded;
  }
  unsigned char* data() const { return static_cast<unsigned char*>(data_.get()); }
  index_t bytes() const { return bytes_; }

 private:
  struct release {
    void operator()(void* data) const { std::free(data); }
  };
  std::unique_ptr<void, release> data_;
  index_t bytes_ = 0;
};

/// Poisons on all cores, so that the pages of a new output lie near the cores that will use them.
void poison(unsigned char* data, index_t bytes) {
  constexpr index_t kPiece = index_t{1} << 20;
  const index_t pieces = groups_of(kPiece, bytes);
#pragma omp parallel for schedule(static)
  for (index_t piece = 0; piece < pieces; ++piece) {
    const index_t first = piece * kPiece;
    std::memset(data + first, kPoison, static_cast<std::size_t>(std::min(kPiece, bytes - first)));
  }
}

/// Where the size of no cache is known.
constexpr index_t kLeastFlush = index_t{32} << 20;

/// Operations of one launch: dependent ones, a few nanoseconds each.
constexpr index_t kMostFlops = index_t{20} * 1000 * 1000 * 1000;

constexpr const char* kNoCounters = "the CPU's counters are not read";

class host_backend final : public backend {
 public:
  explicit host_backend(cache_mode caches) : caches_(caches) {
    if (caches_ == cache_mode::kCold) flush_bytes_ = 2 * std::max(last_cache_bytes(), kLeastFlush);
  }

  std::string_view name() const override { return "host"; }

  evidence facts() const override {
    return {{"blocking", "off"},
            {"blocking.reason", "the CPU has no queue"},
            {"counters", "off"},
            {"counters.reason", kNoCounters},
            {"clock_check", "off"},
            {"clock_check.reason", "the CPU has one clock"},
            {"cache.flush_proof", caches_ == cache_mode::kCold
                                      ? std::string("not proven, as ") + kNoCounters
                                      : "no flush: --cache=warm"}};
  }

  std::string headline() const override {
    return "the CPU's memory: " + host_.cpu_model + ", " + std::to_string(host_.openmp_threads) +
           " threads, last-level cache " + format_bytes(last_cache_bytes());
  }
  double peak_bytes_per_s() const override { return 0; }
  index_t last_cache_bytes() const override {
    return host_.l3_bytes > 0 ? host_.l3_bytes : host_.l2_bytes;
  }
  std::string_view last_cache_name() const override { return host_.l3_bytes > 0 ? "l3" : "l2"; }

  void acquire(const workload& work) override {
    refuse_unfit(work);
    if (const index_t flops = work.meaning().flops(); flops > kMostFlops)
      throw not_applicable("one launch takes " + std::to_string(flops) +
                           " operations, which is minutes on a CPU; take fewer elements or "
                           "multiply-adds (--elements=, --flops=)");
    const buffer_plan plan = plan_buffers(work, kGuardBytes);
    const index_t held = in_.bytes() + out_.bytes() + coverage_.bytes() + indices_.bytes();
    const index_t available = read_host_info().memory_available_bytes + held - flush_bytes_;
    if (plan.total() > available) throw not_applicable(does_not_fit(work, plan.total(), available));
    try {
      in_.grow_to(plan.in);
      out_.grow_to(plan.out);
      coverage_.grow_to(plan.coverage);
      indices_.grow_to(plan.indices);
    } catch (const std::bad_alloc&) {
      throw not_applicable(does_not_fit(work, plan.total(), available));
    }
    plan_ = plan;
    if (plan.indices > 0) work.meaning().fill_indices(indices());
  }

  void bound_launches(double seconds) override { launch_limit_s_ = seconds; }

  void put(const kernel_image& image) override {
    std::ranges::copy(image.in, in_.data());
    std::ranges::copy(image.out, output());
  }
  void get(kernel_image& image) override {
    std::copy_n(in_.data(), image.in.size(), image.in.begin());
    std::copy_n(output(), image.out.size(), image.out.begin());
  }

  void fill_input(std::uint64_t seed) override { fill_on_host(in_.data(), plan_.in / 8, seed); }

  void poison_output() override { poison(out_.data(), plan_.out); }

  void run_once(const workload& work, std::uint64_t seed, bool keep) override {
    const launch_data data{in_.data(), output(), seed, keep, indices()};
    bounded(work, [&work, data] { work.run(data); });
  }

  coverage_verdict prove(const program& body) override {
    proof_tally tally;
    auto* const bits = reinterpret_cast<std::uint32_t*>(coverage_.data());
    std::memset(bits, 0, static_cast<std::size_t>(plan_.coverage));
    const proof_request request = counting_request(body, in_.data(), output(), bits, &tally);
    body.prove(request);
    return judge(body, request, tally, count_coverage_on_host);
  }

  comparison compare(const program& body, std::uint64_t seed) override {
    proof_tally tally;
    auto* const bits = reinterpret_cast<std::uint32_t*>(coverage_.data());
    if (leaves_gaps(body)) std::memset(bits, 0, static_cast<std::size_t>(plan_.coverage));
    proof_request request = comparing_request(body, seed, output(), bits, &tally);
    body.prove(request);
    if (request.matched != nullptr) count_unmatched_on_host(request);
    comparison result{tally.wrong, static_cast<index_t>(tally.first_wrong), {}, {}, 0};
    if (tally.wrong > 0) {
      request.probe = tally.first_wrong;
      body.prove(request);
      result.expected = tally.expected;
      result.got = tally.got;
    }
    const auto [begin, end] = stored_bytes(body);
    const unsigned char* const after = output() + end;
    result.strayed = static_cast<std::uint64_t>(
        count_unpoisoned_on_host(out_.data(), kGuardBytes + begin) +
        count_unpoisoned_on_host(after, out_.data() + plan_.out - after));
    if (leaves_gaps(body))
      result.strayed += static_cast<std::uint64_t>(count_stray_on_host(
          output() + begin, body.stores().elements, size_of(body.type()), bits));
    return result;
  }

  timed_sample time(const workload& work, std::uint64_t seed, int launches, bool) override {
    return bounded(work, [=, this, &work] { return time_unbounded(work, seed, launches); });
  }
  int max_launches() const override { return caches_ == cache_mode::kCold ? 4 : 1 << 16; }

 private:
  /// Calls `launches`; those of the author's kernels on a thread that is left behind if they do not
  /// end. @throws launch_hangs, what `launches` throws
  template <class Launches>
  std::invoke_result_t<Launches> bounded(const workload& work, const Launches& launches) {
    if (!work.by_author() || launch_limit_s_ <= 0) return launches();
    std::packaged_task<std::invoke_result_t<Launches>()> task(launches);
    auto done = task.get_future();
    std::thread runner(std::move(task));
    const auto ended = done.wait_for(std::chrono::duration<double>(launch_limit_s_));
    if (ended != std::future_status::ready) {
      runner.detach();
      throw launch_hangs("its launches have not ended");
    }
    runner.join();
    return done.get();
  }

  timed_sample time_unbounded(const workload& work, std::uint64_t seed, int launches) {
    const launch_data data{.in = in_.data(),
                           .out = output(),
                           .seed = seed,
                           .keep = false,
                           .indices = indices(),
                           .by_team = true};
    if (caches_ == cache_mode::kWarm) return time_in_a_row(work, data, launches);
    double elapsed_s = 0, lost_s = 0;
    flush_.grow_to(flush_bytes_);
    for (int i = 0; i < launches; ++i) {
      poison(flush_.data(), flush_bytes_);
      const timed_sample one = time_in_a_row(work, data, 1);
      elapsed_s += one.elapsed_s;
      lost_s += *one.disturbed * one.elapsed_s;
    }
    return {elapsed_s, false, lost_s / elapsed_s};
  }
  /// The threads meet before the first launch and never again: at a barrier between launches one
  /// that spins may keep the one that it waits for off the CPU, for a tick of the scheduler.
  timed_sample time_in_a_row(const workload& work, const launch_data& data, int launches) {
    spans_.assign(static_cast<std::size_t>(omp_get_max_threads()), {});
    const double stolen_before_s = read_steal_s();
    std::size_t threads = 1;
    std::exception_ptr thrown;
    const int team = work.by_author() ? 1 : omp_get_max_threads();
#pragma omp parallel num_threads(team)
    {
      thread_span& own = spans_[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp single
      threads = static_cast<std::size_t>(omp_get_num_threads());
      own.begin = read_thread();
      try {
        for (int i = 0; i < launches; ++i) work.run(data);
      } catch (...) {  // of the author's kernel, which one thread runs
        thrown = std::current_exception();
      }
      own.end = read_thread_end();
    }
    if (thrown) std::rethrow_exception(thrown);
    const std::span<const thread_span> spans = std::span(spans_).first(threads);
    return {elapsed_s(spans), false, disturbed_share(spans, read_steal_s() - stolen_before_s)};
  }

  unsigned char* output() const { return out_.data() + kGuardBytes; }
  index_entry* indices() const { return reinterpret_cast<index_entry*>(indices_.data()); }

  cache_mode caches_;
  host_info host_ = read_host_info();
  host_buffer in_, out_, coverage_, indices_, flush_;
  index_t flush_bytes_ = 0;
  buffer_plan plan_;
  std::vector<thread_span> spans_;
  double launch_limit_s_ = 0;  // of the author's kernels
};

}  // namespace

std::unique_ptr<backend> make_host_backend(cache_mode caches) {
  return std::make_unique<host_backend>(caches);
}

}  // namespace sectorbench
