#include "protocol.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstdlib>
#include <cstring>

#include "error.h"

namespace rushlight::shm {
namespace {

socklen_t fill(sockaddr_un& to, const std::string& address) {
  if (address.empty() || address.size() > sizeof(to.sun_path) - 1)
    fail(EINVAL, "not the address of a shared memory manager: '" + address + "'");
  to.sun_family = AF_UNIX;
  to.sun_path[0] = 0;  // the abstract namespace
  std::memcpy(to.sun_path + 1, address.data(), address.size());
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + address.size());
}

Descriptor new_socket() {
  Descriptor made(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!made) fail(errno, std::string("cannot make a socket: ") + std::strerror(errno));
  return made;
}

}  // namespace

Descriptor listen_at(const std::string& address) {
  Descriptor made = new_socket();
  sockaddr_un to{};
  const socklen_t length = fill(to, address);
  if (::bind(made.get(), reinterpret_cast<sockaddr*>(&to), length) != 0 ||
      ::listen(made.get(), 256) != 0)
    fail(errno, std::string("cannot listen for processes: ") + std::strerror(errno));
  return made;
}

Descriptor connect_to(const std::string& address) {
  Descriptor made = new_socket();
  sockaddr_un to{};
  const socklen_t length = fill(to, address);
  while (::connect(made.get(), reinterpret_cast<sockaddr*>(&to), length) != 0) {
    if (errno == EINTR) continue;
    fail(errno, "the shared memory manager '" + address +
                    "' does not answer (it ends with the last process that uses it): " +
                    std::strerror(errno));
  }
  if (!same_user(made.get()))
    fail(EACCES, "the shared memory manager '" + address + "' runs as another user");
  return made;
}

bool same_user(int socket) {
  ucred who{};
  socklen_t length = sizeof(who);
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &length) == 0 &&
         who.uid == ::geteuid();
}

bool send_packet(int socket, const void* data, size_t size, int descriptor) {
  iovec part{const_cast<void*>(data), size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &descriptor, sizeof(int));
  }
  for (;;) {
    if (::sendmsg(socket, &message, MSG_NOSIGNAL) >= 0) return true;
    if (errno != EINTR) return false;
  }
}

long receive_packet(int socket, void* data, size_t size, Descriptor* descriptor) {
  iovec part{data, size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  long got = 0;
  do got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got < 0) return errno == ECONNRESET ? 0 : got;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(head), sizeof(int));
    Descriptor received(fd);
    if (descriptor) *descriptor = std::move(received);
  }
  if (message.msg_flags & MSG_CTRUNC) {
    errno = EMFILE;
    return -1;
  }
  return got;
}

std::string shm_folder() {
  const char* chosen = std::getenv("RUSHLIGHT_SHM_DIR");
  return chosen && *chosen ? chosen : "/dev/shm";
}

std::string segment_prefix() {
  struct stat space{};
  // Process numbers mean something inside one namespace; /dev/shm may be shared by several.
  if (::stat("/proc/self/ns/pid", &space) != 0) space.st_ino = 0;
  return "rushlight-" + std::to_string(space.st_ino) + "-";
}

std::string segment_path(uint32_t manager_pid, uint64_t segment) {
  return shm_folder() + "/" + segment_prefix() + std::to_string(manager_pid) + "-" +
         std::to_string(segment);
}

}  // namespace rushlight::shm
