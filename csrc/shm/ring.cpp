#include "ring.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <mutex>

#include "error.h"

namespace rushlight::shm {
namespace {

constexpr uint64_t kRingMagic = 0x32676e69722d6c72ULL;
constexpr int kSpins = 200;  // loads before sleeping: a partner on another core is often that fast

// Nobody sleeps longer without looking: the process that was woken for a message, or was about to
// wake somebody, may have been killed.
constexpr int64_t kLongestSleep = 500'000'000;

// Sleeps while `word` is `seen`. 0, EAGAIN, ETIMEDOUT (the deadline has passed) or EINTR.
int sleep_on(std::atomic<uint32_t>& word, uint32_t seen, int64_t deadline) {
  const int64_t look = now_ns() + kLongestSleep;
  const int64_t end = deadline < 0 ? look : std::min(look, deadline);
  timespec until{end / 1'000'000'000, end % 1'000'000'000};
  // FUTEX_WAIT_BITSET takes an absolute time of CLOCK_MONOTONIC.
  const long result = ::syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_BITSET,
                                seen, &until, nullptr, FUTEX_BITSET_MATCH_ANY);
  const int error = result == 0 ? 0 : errno;
  return error == ETIMEDOUT && end != deadline ? 0 : error;
}

void wake(std::atomic<uint32_t>& word, int count) {
  ::syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE, count, nullptr, nullptr, 0);
}

}  // namespace

// What a message begins with; references to its blocks and its data follow.
struct Ring::Start {
  uint64_t size;  // bytes of data
  uint32_t blocks;
  uint32_t flags;

  uint64_t data() const { return sizeof(Start) + uint64_t{blocks} * sizeof(RingReference); }
  uint64_t end() const { return data() + (size + 7) / 8 * 8; }
};

struct Ring::Head {
  uint64_t magic;
  uint64_t capacity;  // bytes
  uint64_t most;      // messages; 0: as many as fit
  uint32_t number;
  pthread_mutex_t lock;
  std::atomic<uint32_t> closed;
  /// Up to here there may be messages with a block that another message inside has, too.
  std::atomic<uint64_t> repeats;
  alignas(64) std::atomic<uint64_t> read;        // bytes ever taken out
  std::atomic<uint64_t> received;                // messages ever taken out
  alignas(64) std::atomic<uint64_t> written;     // bytes ever put in
  std::atomic<uint64_t> sent;                    // messages ever put in
  alignas(64) std::atomic<uint32_t> arrivals;    // changes when a message comes
  std::atomic<uint32_t> receivers;               // perhaps asleep; a killed one stays counted
  alignas(64) std::atomic<uint32_t> departures;  // changes when a message goes
  std::atomic<uint32_t> senders;
};

class Ring::Lock {
 public:
  explicit Lock(Ring& ring) : head_(*ring.head_) { taken(ring, ::pthread_mutex_lock(&head_.lock)); }
  Lock(Ring& ring, std::try_to_lock_t) : head_(*ring.head_) {
    const int error = ::pthread_mutex_trylock(&head_.lock);
    if (error != EBUSY) taken(ring, error);
  }
  ~Lock() {
    if (held_) ::pthread_mutex_unlock(&head_.lock);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  explicit operator bool() const { return held_; }

 private:
  void taken(Ring& ring, int error) {
    if (error != 0 && error != EOWNERDEAD)
      fail(error, std::string("queue: ") + std::strerror(error));
    held_ = true;
    if (error == 0) return;
    ::pthread_mutex_consistent(&head_.lock);
    try {
      ring.repair();
    } catch (...) {
      ::pthread_mutex_unlock(&head_.lock);
      throw;
    }
  }

  Head& head_;
  bool held_ = false;
};

// Whoever died may have moved a position and not yet its count.
void Ring::repair() {
  uint64_t messages = 0;
  for (uint64_t at = head_->read.load(); at < head_->written.load(); ++messages)
    at += start_at(at).end();
  head_->received.store(head_->sent.load() - messages);
}

size_t Ring::footprint(size_t capacity) { return sizeof(Head) + (capacity + 7) / 8 * 8; }

void Ring::format(std::byte* memory, size_t nbytes, uint64_t most) {
  std::memset(memory, 0, sizeof(Head));
  Head* head = reinterpret_cast<Head*>(memory);
  pthread_mutexattr_t attributes;
  ::pthread_mutexattr_init(&attributes);
  ::pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  ::pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  const int error = ::pthread_mutex_init(&head->lock, &attributes);
  ::pthread_mutexattr_destroy(&attributes);
  if (error) fail(error, std::string("queue: ") + std::strerror(error));
  head->capacity = (nbytes - sizeof(Head)) / 8 * 8;
  head->most = most;
  head->number = kMostRings;
  head->magic = kRingMagic;
}

Ring::Ring(std::byte* memory, size_t nbytes)
    : head_(reinterpret_cast<Head*>(memory)), bytes_(memory + sizeof(Head)), capacity_(0) {
  if (nbytes <= sizeof(Head) || head_->magic != kRingMagic ||
      head_->capacity > nbytes - sizeof(Head))
    fail(EINVAL, "this block of shared memory is not a queue");
  capacity_ = head_->capacity;
}

size_t Ring::most_bytes() const { return capacity_ - sizeof(Start) - 8; }

uint32_t Ring::number() const { return head_->number; }

void Ring::set_number(uint32_t number) { head_->number = number; }

Ring::Start Ring::start_at(uint64_t at) const {
  Start start;
  copy_out(at, &start, sizeof(start));
  if (start.size > capacity_ || start.end() > capacity_)
    fail(EINVAL, "queue: its memory was overwritten");
  return start;
}

void Ring::blocks_at(uint64_t at, const Start& start, std::vector<RingReference>& out) const {
  const size_t before = out.size();
  out.resize(before + start.blocks);
  copy_out(at + sizeof(start), out.data() + before, start.blocks * sizeof(RingReference));
}

bool Ring::any_has(uint64_t from, const RingReference& block) const {
  std::vector<RingReference> blocks;
  for (uint64_t at = from; at < head_->written.load();) {
    const Start start = start_at(at);
    blocks_at(at, start, blocks);
    at += start.end();
  }
  return std::find(blocks.begin(), blocks.end(), block) != blocks.end();
}

void Ring::copy_in(uint64_t at, const void* data, size_t size) {
  if (size == 0) return;
  const uint64_t begin = at % capacity_;
  const size_t first = std::min<uint64_t>(size, capacity_ - begin);
  std::memcpy(bytes_ + begin, data, first);
  std::memcpy(bytes_, static_cast<const std::byte*>(data) + first, size - first);
}

void Ring::copy_out(uint64_t at, void* data, size_t size) const {
  if (size == 0) return;
  const uint64_t begin = at % capacity_;
  const size_t first = std::min<uint64_t>(size, capacity_ - begin);
  std::memcpy(data, bytes_ + begin, first);
  std::memcpy(static_cast<std::byte*>(data) + first, bytes_, size - first);
}

Outcome Ring::put(const void* data, size_t size, int64_t deadline,
                  const std::vector<RingReference>& blocks, uint32_t flags, Keeper& keeper) {
  const Start start{size, static_cast<uint32_t>(blocks.size()), flags};
  if (start.end() > capacity_ - 8)
    fail(EMSGSIZE, "queue: a message of " + std::to_string(size) + " bytes; at most " +
                       std::to_string(most_bytes()) + " fit");
  Head& head = *head_;
  for (;;) {
    const uint32_t seen = head.departures.load();
    {
      const Lock lock(*this);
      if (head.closed.load()) return Outcome::Closed;
      if (room_for(start.end())) {
        const uint64_t at = head.written.load();
        copy_in(at, &start, sizeof(start));
        copy_in(at + sizeof(start), blocks.data(), blocks.size() * sizeof(RingReference));
        copy_in(at + start.data(), data, size);
        for (const RingReference& block : blocks)
          if (keeper.enter(block)) head.repeats.store(at + start.end());
        head.written.store(at + start.end());  // from here on it is sent
        head.sent.fetch_add(1);
        head.arrivals.fetch_add(1);
        if (head.receivers.load() == 0) return Outcome::Done;
        break;
      }
    }
    if (deadline == 0) return Outcome::TimedOut;
    head.senders.fetch_add(1);
    const int why = sleep_on(head.departures, seen, deadline);
    head.senders.fetch_sub(1);
    if (why == EINTR) return Outcome::Interrupted;
    if (why == ETIMEDOUT) deadline = 0;
  }
  wake(head.arrivals, 1);
  return Outcome::Done;
}

bool Ring::room_for(size_t size) const {
  const uint64_t used = head_->written.load() - head_->read.load();
  const uint64_t inside = head_->sent.load() - head_->received.load();
  return used + size <= capacity_ && (head_->most == 0 || inside < head_->most);
}

Outcome Ring::wait_for_room(int64_t deadline) {
  Head& head = *head_;
  for (;;) {
    const uint32_t seen = head.departures.load();
    {
      const Lock lock(*this);
      if (head.closed.load()) return Outcome::Closed;
      if (room_for(sizeof(Start))) return Outcome::Done;
    }
    if (deadline == 0) return Outcome::TimedOut;
    head.senders.fetch_add(1);
    const int why = sleep_on(head.departures, seen, deadline);
    head.senders.fetch_sub(1);
    if (why == EINTR) return Outcome::Interrupted;
    if (why == ETIMEDOUT) deadline = 0;
  }
}

Outcome Ring::get(Message& out, int64_t deadline, Keeper& keeper) {
  Head& head = *head_;
  for (;;) {
    uint32_t seen = head.arrivals.load();
    bool fetch = false;
    if (!empty()) {
      const Lock lock(*this);
      const uint64_t at = head.read.load();
      if (head.written.load() != at) {
        const Start start = start_at(at);
        const uint64_t next = at + start.end();
        out.blocks.clear();
        blocks_at(at, start, out.blocks);
        fetch = start.blocks != 0 && !keeper.ready(out.blocks);
        if (!fetch) {
          out.flags = start.flags;
          out.data.resize(start.size);
          copy_out(at + start.data(), out.data.data(), start.size);
          for (const RingReference& block : out.blocks) keeper.hold(block);
          head.read.store(next);  // from here on it is received
          head.received.fetch_add(1);
          const bool repeated = head.number != kMostRings && head.repeats.load() > next;
          for (const RingReference& block : out.blocks)
            if (!repeated || !any_has(next, block)) keeper.leave(block);
          head.departures.fetch_add(1);
          if (head.senders.load() == 0) return Outcome::Done;
          break;
        }
      }
    }
    if (fetch) {
      keeper.fetch(out.blocks);
      continue;
    }
    if (head.closed.load()) return Outcome::Closed;
    if (deadline == 0) return Outcome::TimedOut;
    for (int spin = 0; spin < kSpins && head.arrivals.load() == seen; ++spin) {
    }
    if (head.arrivals.load() != seen) continue;
    head.receivers.fetch_add(1);
    const int why = sleep_on(head.arrivals, seen, deadline);
    head.receivers.fetch_sub(1);
    if (why == EINTR) return Outcome::Interrupted;
    if (why == ETIMEDOUT) deadline = 0;
  }
  wake(head.departures, INT_MAX);  // room for one large message may be room for many small ones
  return Outcome::Done;
}

bool Ring::look(const std::function<void(const std::vector<RingReference>&)>& look) {
  const Lock lock(*this, std::try_to_lock);
  if (!lock) return false;
  std::vector<RingReference> blocks;
  for (uint64_t at = head_->read.load(); at < head_->written.load();) {
    const Start start = start_at(at);
    blocks_at(at, start, blocks);
    at += start.end();
  }
  look(blocks);
  return true;
}

uint64_t Ring::size() {
  const Lock lock(*this);
  return head_->sent.load() - head_->received.load();
}

bool Ring::empty() const { return head_->written.load() == head_->read.load(); }

void Ring::close() {
  head_->closed.store(1);
  head_->arrivals.fetch_add(1);
  head_->departures.fetch_add(1);
  wake(head_->arrivals, INT_MAX);
  wake(head_->departures, INT_MAX);
}

bool Ring::closed() const { return head_->closed.load() != 0; }

int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

}  // namespace rushlight::shm
