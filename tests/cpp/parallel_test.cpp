// The thread pool: every index once, exceptions, nesting, several callers, fork.
#include "cpu/parallel.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "test.h"

namespace rushlight::cpu {
namespace {

// set_num_threads is process-wide: every test puts the old number back.
struct Threads {
  explicit Threads(int n) { set_num_threads(n); }
  ~Threads() { set_num_threads(before); }
  int before = num_threads();
};

TEST(parallel_for_visits_every_index_once) {
  const Threads threads(4);
  for (int64_t n : {0, 1, 2, 7, 100, 1001}) {
    std::vector<std::atomic<int>> seen(static_cast<size_t>(n));
    parallel_for(0, n, 3, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) seen[static_cast<size_t>(i)]++;
    });
    for (auto& s : seen) EXPECT(s == 1);
  }
}

TEST(parallel_for_keeps_small_work_on_the_caller) {
  const Threads threads(4);
  const auto caller = std::this_thread::get_id();
  parallel_for(0, 19, 10, [&](int64_t first, int64_t last) {
    EXPECT(first == 0 && last == 19);
    EXPECT(std::this_thread::get_id() == caller);
  });
}

TEST(parallel_for_rethrows_and_works_again) {
  const Threads threads(4);
  for (int round = 0; round < 3; ++round) {
    bool caught = false;
    try {
      parallel_for(0, 1000, 1, [](int64_t first, int64_t) {
        if (first > 200) throw std::runtime_error("from a worker");
      });
    } catch (const std::runtime_error& e) {
      caught = std::string(e.what()) == "from a worker";
    }
    EXPECT(caught);
    std::atomic<int64_t> sum{0};
    parallel_for(0, 1000, 1, [&](int64_t first, int64_t last) { sum += last - first; });
    EXPECT(sum == 1000);
  }
}

TEST(nested_parallel_for_runs_serially) {
  const Threads threads(4);
  std::atomic<int> pieces{0};
  parallel_for(0, 4, 1, [&](int64_t first, int64_t last) {
    for (; first < last; ++first) {
      EXPECT(num_threads() == 1);
      parallel_for(0, 100, 1, [&](int64_t, int64_t) { pieces++; });
    }
  });
  EXPECT(pieces == 4);
}

TEST(several_threads_may_call_at_once) {
  const Threads threads(3);
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round)
        parallel_for(0, 100, 1, [&](int64_t first, int64_t last) { sum += last - first; });
    });
  for (auto& c : callers) c.join();
  EXPECT(sum == 4 * 200 * 100);
}

TEST(a_forked_child_makes_its_own_pool) {
  const Threads threads(4);
  parallel_for(0, 100, 1, [](int64_t, int64_t) {});
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int64_t> sum{0};
    for (int round = 0; round < 50; ++round)
      parallel_for(0, 100, 1, [&](int64_t first, int64_t last) { sum += last - first; });
    _exit(sum == 5000 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT(status == 0);
}

TEST(thread_limit_holds_for_its_scope) {
  const Threads threads(4);
  {
    const ThreadLimit one(1);
    EXPECT(num_threads() == 1);
    const ThreadLimit keep(0);
    EXPECT(num_threads() == 1);
  }
  EXPECT(num_threads() == 4);
}

TEST(set_num_threads_refuses_zero) {
  bool caught = false;
  try {
    set_num_threads(0);
  } catch (const Error& e) {
    caught = e.kind() == ErrorKind::Runtime;
  }
  EXPECT(caught);
}

}  // namespace
}  // namespace rushlight::cpu
