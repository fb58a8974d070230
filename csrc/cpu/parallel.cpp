// The thread pool. Workers are started when a region first needs them and then kept: they spin for
// some microseconds after a region, because the next one usually follows at once, then sleep on a
// futex. A region is open while pieces are left; workers enter and leave it through one atomic
// word, so a worker that wakes up late finds the region closed and nobody waits for it.
#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "cblas_threads.h"
#include "core/error.h"

namespace rushlight::cpu {
namespace {

constexpr int kMaxThreads = 4096;

int default_threads() {
  if (const char* text = std::getenv("RUSHLIGHT_NUM_THREADS"); text && *text) {
    char* end = nullptr;
    const long n = std::strtol(text, &end, 10);
    RL_CHECK(*end == '\0' && n >= 1 && n <= kMaxThreads, Value,
             "RUSHLIGHT_NUM_THREADS: expected a positive number, got '", text, "'");
    return static_cast<int>(n);
  }
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Read by every region of every thread, hence atomic; 0 until the first use.
std::atomic<int> process_threads{0};
thread_local int thread_limit = 0;
thread_local bool in_region = false;

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

constexpr int kSpins = 1500;  // about 30 microseconds

struct Region {
  int64_t end = 0;
  int64_t chunk = 0;
  void (*body)(void*, int64_t, int64_t) = nullptr;
  void* context = nullptr;
  std::atomic<int64_t> next{0};
  std::mutex error_lock;
  std::exception_ptr error;

  void work() {
    for (;;) {
      const int64_t first = next.fetch_add(chunk, std::memory_order_relaxed);
      if (first >= end) return;
      try {
        body(context, first, std::min(first + chunk, end));
      } catch (...) {
        const std::lock_guard lock(error_lock);
        if (!error) error = std::current_exception();
        next.store(end, std::memory_order_relaxed);
      }
    }
  }
};

class Pool {
 public:
  // False if another caller is using the pool: that caller's region has all workers already.
  bool run(int threads, int64_t begin, int64_t end, int64_t chunk,
           void (*body)(void*, int64_t, int64_t), void* context) {
    std::unique_lock owner(owner_, std::try_to_lock);
    if (!owner || stopped_) return false;
    start_workers(threads - 1);
    region_.end = end;
    region_.chunk = chunk;
    region_.body = body;
    region_.context = context;
    region_.next.store(begin, std::memory_order_relaxed);
    limit_ = std::min<int64_t>(threads, (end - begin + chunk - 1) / chunk) - 1;
    state_.store(kOpen, std::memory_order_release);
    epoch_.fetch_add(1, std::memory_order_seq_cst);
    // The sleeper counts itself before it looks at the epoch a last time, so one of us sees it.
    if (sleepers_.load(std::memory_order_seq_cst) > 0) epoch_.notify_all();

    in_region = true;
    region_.work();
    in_region = false;
    close();
    if (region_.error) std::rethrow_exception(std::exchange(region_.error, nullptr));
    return true;
  }

  // At process exit: the workers end, later regions run serially.
  void stop() {
    const std::lock_guard owner(owner_);
    stopped_ = true;
    stop_.store(true);
    epoch_.fetch_add(1);
    epoch_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
  }

 private:
  static constexpr int kOpen = 1 << 30;  // below that bit: workers inside

  void start_workers(int wanted) {
    if (static_cast<int>(workers_.size()) >= wanted) return;
    // Signals stay with the threads of the program.
    sigset_t all, previous;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    try {
      while (static_cast<int>(workers_.size()) < wanted)
        workers_.emplace_back([this, seen = epoch_.load()] { loop(seen); });
    } catch (const std::system_error&) {
      // The system has no more threads: those that we have do the work.
    }
    pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  }

  bool enter() {
    int state = state_.load(std::memory_order_relaxed);
    while ((state & kOpen) && (state & ~kOpen) < limit_)
      if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acquire)) return true;
    return false;
  }

  void close() {
    int state = state_.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen;
    for (int spins = 0; state != 0; ++spins) {
      if (spins < kSpins)
        pause();
      else
        state_.wait(state, std::memory_order_acquire);
      state = state_.load(std::memory_order_acquire);
    }
  }

  void loop(int seen) {
    in_region = true;
    for (;;) {
      seen = await(seen);
      if (stop_.load(std::memory_order_relaxed)) return;
      if (!enter()) continue;
      region_.work();
      if (state_.fetch_sub(1, std::memory_order_acq_rel) == 1) state_.notify_all();
    }
  }

  int await(int seen) {
    for (int spins = 0; spins < kSpins; ++spins) {
      const int epoch = epoch_.load(std::memory_order_acquire);
      if (epoch != seen) return epoch;
      pause();
    }
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    epoch_.wait(seen, std::memory_order_seq_cst);
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
    return epoch_.load(std::memory_order_acquire);
  }

  std::mutex owner_;  // held for the length of a region
  bool stopped_ = false;
  std::vector<std::thread> workers_;
  Region region_;
  std::atomic<int64_t> limit_{0};
  std::atomic<bool> stop_{false};
  alignas(64) std::atomic<int> state_{0};
  alignas(64) std::atomic<int> epoch_{0};
  std::atomic<int> sleepers_{0};
};

// The pool of this process. A child after fork has none of the workers: it forgets the parent's
// pool (whose locks may be held by threads that no longer exist) and makes its own when needed.
std::mutex pool_lock;
Pool* current_pool = nullptr;

Pool& pool() {
  const std::lock_guard lock(pool_lock);
  if (!current_pool) {
    current_pool = new Pool;
    [[maybe_unused]] static const bool registered = [] {
      pthread_atfork([] { pool_lock.lock(); }, [] { pool_lock.unlock(); },
                     [] {
                       current_pool = nullptr;
                       pool_lock.unlock();
                     });
      std::atexit([] {
        // Never deleted: a detached thread may still call it, and then runs serially.
        if (current_pool) current_pool->stop();
      });
      return true;
    }();
  }
  return *current_pool;
}

}  // namespace

int num_threads() {
  if (in_region) return 1;
  int n = process_threads.load(std::memory_order_relaxed);
  if (n == 0) [[unlikely]] {
    int expected = 0;
    process_threads.compare_exchange_strong(expected, default_threads());
    n = process_threads.load();
    serial_blas();
  }
  return thread_limit > 0 ? std::min(thread_limit, n) : n;
}

void set_num_threads(int n) {
  RL_CHECK(n > 0 && n <= kMaxThreads, Runtime, "expected a positive number of threads, got ", n);
  serial_blas();
  process_threads.store(n);
}

ThreadLimit::ThreadLimit(int n) : previous_(thread_limit) {
  if (n > 0) thread_limit = n;
}
ThreadLimit::~ThreadLimit() { thread_limit = previous_; }

namespace detail {

int64_t chunk_size(int64_t n, int64_t grain) {
  grain = std::max<int64_t>(grain, 1);
  if (in_region || n / grain < 2) return n;
  const int threads = num_threads();
  if (threads == 1) return n;
  // Some pieces per thread, so that a thread that the system holds up does not hold up the rest.
  constexpr int64_t kPiecesPerThread = 4;
  int64_t pieces = std::min<int64_t>(n / grain, kPiecesPerThread * threads);
  if (pieces > threads) pieces -= pieces % threads;
  return (n + pieces - 1) / pieces;
}

void run_chunks(int64_t begin, int64_t end, int64_t chunk, void (*body)(void*, int64_t, int64_t),
                void* context) {
  if (!pool().run(num_threads(), begin, end, chunk, body, context)) body(context, begin, end);
}

}  // namespace detail
}  // namespace rushlight::cpu
