// One pool of threads for all kernels.
#pragma once

#include <cstdint>
#include <type_traits>

namespace rushlight::cpu {

/// Threads that a parallel region of the calling thread may use, itself included. The default is
/// RUSHLIGHT_NUM_THREADS, else the number of cores the process may run on.
int num_threads();
/// Sets the process-wide number; throws `Error(Runtime)` unless it is positive.
void set_num_threads(int n);

/// Limits the calling thread to `n` threads for as long as the object lives; 0 keeps the default.
class ThreadLimit {
 public:
  explicit ThreadLimit(int n);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  int previous_;
};

namespace detail {
void run_chunks(int64_t begin, int64_t end, int64_t chunk, void (*body)(void*, int64_t, int64_t),
                void* context);
int64_t chunk_size(int64_t n, int64_t grain);
}  // namespace detail

/// Calls `body(first, last)` for pieces of [begin, end), on several threads when there are at
/// least two pieces of `grain` iterations. Nested calls run serially; an exception of any piece is
/// rethrown here after the others have finished; safe in a child after fork.
template <class F>
void parallel_for(int64_t begin, int64_t end, int64_t grain, F&& body) {
  if (begin >= end) return;
  const int64_t chunk = detail::chunk_size(end - begin, grain);
  if (chunk >= end - begin) {
    body(begin, end);
    return;
  }
  using Body = std::remove_reference_t<F>;
  detail::run_chunks(
      begin, end, chunk,
      [](void* context, int64_t first, int64_t last) {
        (*static_cast<Body*>(context))(first, last);
      },
      const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace rushlight::cpu
