// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/indexed.hpp"
#include "sectorbench/execution/instantiate.hpp"

#if defined(__CUDACC__)
#include "sectorbench/cuda/buffer.hpp"
#include "sectorbench/cuda/error.hpp"
#endif

namespace sectorbench {

#if defined(__CUDACC__)

/// Copies of lists in a GPU's memory, of those that were asked for, by list and GPU.
using list_on_gpu = std::pair<const index_entry*, int>;
static std::map<list_on_gpu, device_buffer>& lists_for_kernels() {
  static auto& copies = *new std::map<list_on_gpu, device_buffer>;
  return copies;
}

template <int Lists>
indexed<Lists> for_kernels(indexed<Lists> pattern) {
  int gpu = 0;
  SECTORBENCH_CUDA_CHECK(cudaGetDevice(&gpu));
  device_buffer& copy = lists_for_kernels()[{pattern.meant, gpu}];
  if (copy.data() == nullptr) {
    copy = device_buffer(pattern.indices() * index_t{sizeof(index_entry)});
    SECTORBENCH_CUDA_CHECK(cudaMemcpy(copy.data(), pattern.meant,
                                      static_cast<std::size_t>(copy.bytes()),
                                      cudaMemcpyHostToDevice));
  }
  pattern.meant = copy.as<const index_entry>();
  return pattern;
}

#endif

namespace {

/// Lists behind each other, as the pattern points to them.
class kept_entries {
 public:
  explicit kept_entries(const std::vector<repeated_list>& lists) {
    for (const repeated_list& list : lists)
      for (const index_t entry : list.entries) entries_.push_back(static_cast<index_entry>(entry));
  }
  ~kept_entries() {
#if defined(__CUDACC__)
    std::erase_if(lists_for_kernels(),
                  [&](const auto& copy) { return copy.first.first == data(); });
#endif
  }
  kept_entries(const kept_entries&) = delete;
  kept_entries& operator=(const kept_entries&) = delete;

  const index_entry* data() const { return entries_.data(); }

 private:
  std::vector<index_entry> entries_;
};

/// The pattern under a maker's operations; the dense side is put where each has it.
template <int Lists>
class bound_lists {
 public:
  explicit bound_lists(const index_lists& work) : meant_(work.lists) {
    pattern_.n = work.accesses();
    pattern_.length = static_cast<index_t>(work.lists[0].entries.size());
    pattern_.by_length = fixed_divisor(pattern_.length);
    const bool wraps = work.wrap > 0 && work.wrap < work.count;
    pattern_.dense = wraps ? work.wrap * pattern_.length : pattern_.n;
    pattern_.by_wrap = wraps ? fixed_divisor(work.wrap) : fixed_divisor();
    pattern_.meant = meant_.data();
    for (int k = 0; k < Lists; ++k) {
      pattern_.delta[k] = work.lists[static_cast<std::size_t>(k)].delta;
      sides_[k] = work.lists[static_cast<std::size_t>(k)].extent(work.count);
    }
    dense_ = {pattern_.dense};
    if (wraps) dense_ = {pattern_.dense, 0, coverage::kManyToOne, pattern_.n, pattern_.dense};
  }

  std::unique_ptr<workload> make(operation_kind operation, element_type type,
                                 block_size block) const {
    const bool loads_follow =
        operation == operation_kind::kGather || operation == operation_kind::kRead;
    indexed<Lists> pattern = pattern_;
    pattern.loaded = Lists == 2 || loads_follow ? sides_[0] : dense_;
    pattern.stored = Lists == 2 ? sides_[Lists - 1] : loads_follow ? dense_ : sides_[0];
    return detail::make_bound(pattern, operation, type, block);
  }

 private:
  kept_entries meant_;
  indexed<Lists> pattern_{};
  side_extent sides_[Lists], dense_;
};

template <int Lists>
pattern_entry::maker maker_of(const index_lists& work) {
  return [bound = std::make_shared<const bound_lists<Lists>>(work)](
             operation_kind operation, element_type type, index_t, std::span<const index_t>,
             block_size block) { return bound->make(operation, type, block); };
}

}  // namespace

pattern_entry::maker indexed_maker(const index_lists& work) {
  return work.lists.size() == 1 ? maker_of<1>(work) : maker_of<2>(work);
}

}  // namespace sectorbench
