// SPDX-License-Identifier: Apache-2.0
// Compares, thread by thread, what the kernels of docs/single_file/coalescing.cu copy with what the
// patterns `contiguous` and `stride` say. COALESCING is that file with its launches spelled as
// calls.

#define main lesson_main
#include COALESCING
#undef main

#include "sectorbench/patterns/contiguous.hpp"
#include "sectorbench/patterns/stride.hpp"

namespace {

constexpr long long kNothing = -1;

std::vector<float> loaded, stored;
std::vector<long long> copied;  // by each thread, in the order of the launch

/// Notes which element the thread before this call has copied.
void note() {
  long long found = kNothing;
  for (std::size_t i = 0; i < stored.size(); ++i)
    if (stored[i] == loaded[i]) {
      found = found == kNothing ? static_cast<long long>(i) : -2;  // -2: more than one
      stored[i] = -1;
    }
  copied.push_back(found);
}

/// What the pattern says of a thread.
struct place {
  long long* to;
  void move(bool on, sectorbench::index_t at, sectorbench::index_t) const {
    *to = on ? at : kNothing;
  }
};

template <class Pattern>
bool agrees(const Pattern& pattern, long long n, long long step) {
  loaded.assign(static_cast<std::size_t>(n), 0);
  for (std::size_t i = 0; i < loaded.size(); ++i) loaded[i] = static_cast<float>(i);
  stored.assign(loaded.size(), -1);
  copied.clear();
  after_thread = note;
  launch(n, step, loaded.data(), stored.data());

  const sectorbench::launch_shape shape = pattern.shape({256, 1});
  if (shape.grid_x != gridDim.x || shape.grid_y != gridDim.y || shape.grid_z != gridDim.z) {
    std::printf("stride %lld of %lld elements: another grid\n", step, n);
    return false;
  }
  std::size_t thread = 0;
  for (unsigned y = 0; y < gridDim.y; ++y)
    for (unsigned x = 0; x < gridDim.x; ++x)
      for (unsigned t = 0; t < 256; ++t, ++thread) {
        long long at = kNothing;
        pattern.run(sectorbench::lane{t, 0, x, y, 0, 256, 1, gridDim.x, gridDim.y}, place{&at});
        if (copied[thread] == at) continue;
        std::printf("stride %lld of %lld elements: thread %zu copies %lld, the pattern %lld\n",
                    step, n, thread, copied[thread], at);
        return false;
      }
  return thread == copied.size();
}

}  // namespace

int main() {
  int compared = 0;
  for (const long long n : {1000LL, 1024LL})
    for (const sectorbench::index_t step : {1, 2, 4, 8, 16, 32}) {
      const sectorbench::index_t values[] = {step};
      const bool same = step == 1 ? agrees(sectorbench::contiguous::make(n, {}), n, step)
                                  : agrees(sectorbench::stride::make(n, values), n, step);
      if (!same) return 1;
      ++compared;
    }
  std::printf("%d launches agree\n", compared);
  return 0;
}
