// Connections to managers, and starting one.
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <random>

#include "error.h"
#include "host_state.h"

namespace rushlight::shm {
namespace {

// Starts the manager with a socket that already listens, so that connecting needs no waiting.
std::string start_manager(const std::string& program) {
  std::random_device random;
  char address[64];
  std::snprintf(address, sizeof(address), "rushlight-shm-%d-%08x%08x", ::getpid(), random(),
                random());
  Descriptor listener = listen_at(address);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t all, none;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, listener.get(), 3);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  char name[] = "rushlight-shm-manager", fd[] = "3";
  char* argv[] = {name, fd, nullptr};
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, program.c_str(), &actions, &attributes, argv, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error)
    fail(error, "cannot start the shared memory manager " + program + ": " + std::strerror(error));
  // It forks and goes on in the background; what we started ends at once.
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return address;
}

}  // namespace

Reply Link::ask(const Request& request, Descriptor* descriptor) {
  Reply reply;
  if (dead || !send_packet(socket.get(), &request, sizeof(request))) {
    dead = true;
    fail(EPIPE, "the shared memory manager '" + address + "' is gone");
  }
  const long got = receive_packet(socket.get(), &reply, sizeof(reply), descriptor);
  if (got < 0)
    fail(errno, std::string("no file descriptor left for shared memory: ") + std::strerror(errno));
  if (got != sizeof(reply)) {
    dead = true;
    fail(EPIPE, "the shared memory manager '" + address + "' is gone");
  }
  return reply;
}

bool Link::alive() {
  char byte;
  if (!dead && ::recv(socket.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) dead = true;
  return !dead;
}

void Link::connect() {
  socket = connect_to(address);
  dead = false;
  const Reply reply = ask({Op::Hello});
  if (reply.error) {
    dead = true;
    fail(reply.error,
         "at most " + std::to_string(kManager) + " processes can share memory through one manager");
  }
  process = reply.process;
  manager_pid = reply.pid;
  // Of a child that could not connect when it was forked.
  for (auto& [id, mapping] : segments)
    for (auto& [offset, use] : mapping->uses) mapping->block(use.entry).inherit(process);
}

Link& State::link_to(const std::string& address) {
  const auto found = links.find(address);
  if (found != links.end()) {
    if (found->second->dead) found->second->connect();
    return *found->second;
  }
  auto made = std::make_unique<Link>();
  made->address = address;
  made->connect();
  install_fork_handlers();
  return *(links[address] = std::move(made));
}

Link& State::home_link() {
  if (home && home->alive()) return *home;
  home = nullptr;
  const char* inherited = std::getenv("RUSHLIGHT_SHM_MANAGER");
  if (inherited && *inherited) {
    try {
      return *(home = &link_to(inherited));
    } catch (const SystemError&) {
      // That family has ended; start our own.
    }
  }
  home = &link_to(start_manager(program));
  // Children that run a new program (spawn, forkserver) find it too.
  ::setenv("RUSHLIGHT_SHM_MANAGER", home->address.c_str(), 1);
  return *home;
}

void set_manager_program(const std::string& path) {
  const std::lock_guard lock(state().mutex);
  state().program = path;
}

std::string manager_address() {
  const std::lock_guard lock(state().mutex);
  return state().home_link().address;
}

Reply manager_stat() {
  const std::lock_guard lock(state().mutex);
  return state().home_link().ask({Op::Stat});
}

}  // namespace rushlight::shm
