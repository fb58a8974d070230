// rushlight-shm-manager: keeps the shared memory of a family of processes.
//
//     rushlight-shm-manager FD      FD: a listening socket (see ../protocol.h)
//
// It creates every segment, so that none is ever without somebody to remove it; it hands
// descriptors to those who receive references; when a process is gone, however it ended, it lets
// go of what that process held. It ends with the last process.
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <vector>

#include "../protocol.h"
#include "segments.h"

namespace rushlight::shm {
namespace {

constexpr int kFirstClientWithinMs = 30'000;
constexpr int kFirstTryMs = 5, kMostTryMs = 1000;

struct Client {
  Descriptor socket;
  uint32_t process = kMostProcesses;  // none yet
};

class Manager {
 public:
  explicit Manager(Descriptor listener) : listener_(std::move(listener)) {
    free_numbers_.resize(kManager, true);
  }

  void run() {
    bool had_clients = false;
    while (!had_clients || !clients_.empty()) {
      std::vector<pollfd> waiting{{listener_.get(), POLLIN, 0}};
      for (const Client& client : clients_) waiting.push_back({client.socket.get(), POLLIN, 0});
      const int patience = compare_in_ > 0 ? compare_in_ : had_clients ? -1 : kFirstClientWithinMs;
      const int ready = ::poll(waiting.data(), waiting.size(), patience);
      if (ready == 0 && !had_clients) break;  // whoever started us died before it said a word
      if (ready == 0) compare();
      if (ready <= 0) continue;
      for (size_t i = waiting.size(); i-- > 1;)  // backwards: clients that left are erased
        if (waiting[i].revents) serve(i - 1);
      if (waiting[0].revents) had_clients |= accept();
    }
    segments_.remove_all();
  }

 private:
  bool accept() {
    Descriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket || !same_user(socket.get())) return false;
    clients_.push_back({std::move(socket)});
    return true;
  }

  void serve(size_t at) {
    Request request;
    const long got = receive_packet(clients_[at].socket.get(), &request, sizeof(request), nullptr);
    if (got != sizeof(request) || !answer(clients_[at], request)) {
      leave(at);
    }
  }

  void leave(size_t at) {
    const uint32_t process = clients_[at].process;
    clients_.erase(clients_.begin() + static_cast<long>(at));
    if (process == kMostProcesses) return;
    segments_.process_gone(process);
    free_numbers_[process] = true;
    compare_in_ = kFirstTryMs;
    compare();
  }

  // Whoever holds the lock of a queue now will not for long, unless it is stopped.
  void compare() {
    const bool complete = segments_.compare_rings();
    compare_in_ = complete ? 0 : std::min(2 * compare_in_, kMostTryMs);
  }

  // False if the client is gone.
  bool answer(Client& client, const Request& request) {
    Reply reply;
    reply.pid = static_cast<uint32_t>(::getpid());
    Descriptor opened;
    switch (request.op) {
      case Op::Hello:
        reply.error = number(client);
        reply.process = client.process;
        break;
      case Op::Create:
        reply.error = segments_.create(client.process, request, reply, opened);
        break;
      case Op::Open:
        reply.error = segments_.open(request.segment, reply, opened);
        break;
      case Op::Retire:
        segments_.retire(request.segment, client.process);
        break;
      case Op::Check:
        segments_.check(request.segment);
        return true;
      case Op::Ring:
        reply.error =
            segments_.add_ring(request.segment, request.nbytes, client.process, reply.process);
        break;
      case Op::Stat:
        reply.processes = static_cast<uint32_t>(clients_.size());
        segments_.count(reply);
        break;
      default:
        return false;
    }
    return send_packet(client.socket.get(), &reply, sizeof(reply), opened.get());
  }

  int number(Client& client) {
    if (client.process != kMostProcesses) return 0;
    for (uint32_t i = 0; i < kManager; ++i) {
      if (!free_numbers_[i]) continue;
      free_numbers_[i] = false;
      client.process = i;
      return 0;
    }
    return EUSERS;
  }

  Descriptor listener_;
  std::vector<Client> clients_;
  std::vector<bool> free_numbers_;
  Segments segments_;
  int compare_in_ = 0;  // milliseconds; 0: nothing to do
};

// Away from the terminal and from the process that started us, which should see no child.
void detach(int keep) {
  if (::fork() != 0) ::_exit(0);
  ::setsid();
  for (int signal : {SIGINT, SIGHUP, SIGPIPE, SIGQUIT, SIGTERM}) std::signal(signal, SIG_IGN);
  if (::chdir("/") != 0) ::_exit(1);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd)
    if (fd != keep) ::dup2(nothing, fd);
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  // Whatever else we inherited would be kept open for as long as we live.
  for (int fd = 3; fd < keep; ++fd) ::close(fd);
  if (::syscall(SYS_close_range, keep + 1, ~0U, 0) != 0)
    for (int fd = keep + 1; fd < 4096; ++fd) ::close(fd);
}

}  // namespace
}  // namespace rushlight::shm

int main(int argc, char** argv) {
  const int fd = argc == 2 ? std::atoi(argv[1]) : -1;
  struct stat what{};
  if (fd < 3 || ::fstat(fd, &what) != 0 || !S_ISSOCK(what.st_mode)) {
    const char usage[] =
        "rushlight-shm-manager is started by rushlight.multiprocessing; it has no use by hand\n";
    return ::write(2, usage, sizeof(usage) - 1) < 0 ? 2 : 1;
  }
  rushlight::shm::detach(fd);
  rushlight::shm::Manager(rushlight::shm::Descriptor(fd)).run();
  return 0;
}
