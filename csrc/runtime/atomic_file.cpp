#include "runtime/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace rushlight {
namespace {

constexpr size_t kBufferSize = size_t{1} << 16;
constexpr size_t kMaxWrite = size_t{1} << 30;  // Linux transfers at most 2 GiB in one call
constexpr int kAttempts = 100;

// Distinguishes the temporary files of concurrent writers in one process.
std::atomic<uint64_t> next_number{0};

std::string resolve_links(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? real.get() : path;
}

std::string directory_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

void AtomicFile::fail(const char* what, int error) const {
  RL_FAIL(OSError, "cannot ", what, " '", path_, "': ", std::generic_category().message(error));
}

AtomicFile::AtomicFile(const std::string& path, Durability durability)
    : path_(path), target_(resolve_links(path)), durability_(durability) {
  buffer_.reserve(kBufferSize);
  mode_t mode = 0666;  // as restricted by the umask
  struct stat status;
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists) {
    if (S_ISDIR(status.st_mode)) fail("write", EISDIR);
    RL_CHECK(S_ISREG(status.st_mode), OSError, "cannot write '", path_,
             "': it is not a regular file");
    mode = status.st_mode & 0777;
  }
  for (int attempt = 0; fd_ < 0 && attempt < kAttempts; ++attempt) {
    temporary_ = detail::concat(target_, ".tmp-", ::getpid(), "-", next_number.fetch_add(1));
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd_ < 0 && errno != EEXIST) fail("write", errno);
  }
  if (fd_ < 0) fail("write", EEXIST);
  // Best effort: on file systems without permissions the data still matters more.
  if (exists && ::fchmod(fd_, mode) != 0) errno = 0;
}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::write_through(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), std::min(bytes.size(), kMaxWrite));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("write", errno);
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
}

void AtomicFile::flush() {
  write_through(std::as_bytes(std::span(buffer_)));
  buffer_.clear();
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  RL_ASSERT(fd_ >= 0, "write after commit");
  if (bytes.size() + buffer_.size() > kBufferSize) flush();
  if (bytes.size() >= kBufferSize) {
    write_through(bytes);
  } else if (!bytes.empty()) {
    buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  position_ += bytes.size();
}

void AtomicFile::commit() {
  RL_ASSERT(fd_ >= 0, "commit twice");
  flush();
  const bool sync = durability_ == Durability::Synced;
  if (sync && ::fsync(fd_) != 0) fail("write", errno);
  const int fd = std::exchange(fd_, -1);
  const bool renamed = ::close(fd) == 0 && std::rename(temporary_.c_str(), target_.c_str()) == 0;
  if (!renamed) {
    const int error = errno;
    ::unlink(temporary_.c_str());
    fail("write", error);
  }
  if (!sync) return;
  // The name must survive a power cut too. Some file systems cannot sync a directory; the file
  // itself is safe by then, so that is no error.
  const int directory = ::open(directory_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
}

}  // namespace rushlight
