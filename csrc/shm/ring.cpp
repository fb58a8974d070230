#include "ring.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>

#include "error.h"

namespace rushlight::shm {
namespace {

constexpr uint64_t kRingMagic = 0x31676e69722d6c72ULL;
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

uint64_t padded(uint64_t size) { return (size + 15) / 8 * 8; }  // with its 8 bytes of length

}  // namespace

struct Ring::Head {
  uint64_t magic;
  uint64_t capacity;  // bytes
  uint64_t most;      // messages; 0: as many as fit
  pthread_mutex_t lock;
  std::atomic<uint32_t> closed;
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
  explicit Lock(Ring& ring) : head_(*ring.head_) {
    const int error = ::pthread_mutex_lock(&head_.lock);
    if (error == 0) return;
    if (error != EOWNERDEAD) fail(error, std::string("queue: ") + std::strerror(error));
    ::pthread_mutex_consistent(&head_.lock);
    // Whoever died may have moved a position and not yet its count.
    uint64_t messages = 0;
    for (uint64_t at = head_.read.load(); at != head_.written.load(); ++messages) {
      uint64_t size = 0;
      ring.copy_out(at, &size, sizeof(size));
      at += padded(size);
    }
    head_.received.store(head_.sent.load() - messages);
  }
  ~Lock() { ::pthread_mutex_unlock(&head_.lock); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Head& head_;
};

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
  head->magic = kRingMagic;
}

Ring::Ring(std::byte* memory, size_t nbytes)
    : head_(reinterpret_cast<Head*>(memory)), bytes_(memory + sizeof(Head)), capacity_(0) {
  if (nbytes <= sizeof(Head) || head_->magic != kRingMagic ||
      head_->capacity > nbytes - sizeof(Head))
    fail(EINVAL, "this block of shared memory is not a queue");
  capacity_ = head_->capacity;
}

size_t Ring::most_bytes() const { return capacity_ - 16; }

void Ring::copy_in(uint64_t at, const void* data, size_t size) {
  const uint64_t begin = at % capacity_;
  const size_t first = std::min<uint64_t>(size, capacity_ - begin);
  std::memcpy(bytes_ + begin, data, first);
  std::memcpy(bytes_, static_cast<const std::byte*>(data) + first, size - first);
}

void Ring::copy_out(uint64_t at, void* data, size_t size) const {
  const uint64_t begin = at % capacity_;
  const size_t first = std::min<uint64_t>(size, capacity_ - begin);
  std::memcpy(data, bytes_ + begin, first);
  std::memcpy(static_cast<std::byte*>(data) + first, bytes_, size - first);
}

Outcome Ring::put(const void* data, size_t size, int64_t deadline) {
  if (size > most_bytes())
    fail(EMSGSIZE, "queue: a message of " + std::to_string(size) + " bytes; at most " +
                       std::to_string(most_bytes()) + " fit");
  Head& head = *head_;
  for (;;) {
    const uint32_t seen = head.departures.load();
    {
      const Lock lock(*this);
      if (head.closed.load()) return Outcome::Closed;
      if (room_for(size)) {
        const uint64_t at = head.written.load(), length = size;
        copy_in(at, &length, sizeof(length));
        copy_in((at + sizeof(length)) % capacity_, data, size);
        head.written.store(at + padded(size));  // from here on it is sent
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
  return used + padded(size) <= capacity_ && (head_->most == 0 || inside < head_->most);
}

Outcome Ring::wait_for_room(int64_t deadline) {
  Head& head = *head_;
  for (;;) {
    const uint32_t seen = head.departures.load();
    {
      const Lock lock(*this);
      if (head.closed.load()) return Outcome::Closed;
      if (room_for(0)) return Outcome::Done;
    }
    if (deadline == 0) return Outcome::TimedOut;
    head.senders.fetch_add(1);
    const int why = sleep_on(head.departures, seen, deadline);
    head.senders.fetch_sub(1);
    if (why == EINTR) return Outcome::Interrupted;
    if (why == ETIMEDOUT) deadline = 0;
  }
}

Outcome Ring::get(std::string& out, int64_t deadline) {
  Head& head = *head_;
  for (;;) {
    uint32_t seen = head.arrivals.load();
    if (!empty()) {
      const Lock lock(*this);
      const uint64_t at = head.read.load();
      if (head.written.load() != at) {
        uint64_t size = 0;
        copy_out(at, &size, sizeof(size));
        if (size > most_bytes()) fail(EINVAL, "queue: its memory was overwritten");
        out.resize(size);
        copy_out((at + sizeof(size)) % capacity_, out.data(), size);
        head.read.store(at + padded(size));  // from here on it is received
        head.received.fetch_add(1);
        head.departures.fetch_add(1);
        if (head.senders.load() == 0) return Outcome::Done;
        break;
      }
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
