#include "runtime/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/error.h"

namespace rushlight {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what, int error) {
  RL_FAIL(OSError, "cannot ", what, " '", path, "': ", std::generic_category().message(error));
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path, Access access) {
  // O_NONBLOCK: opening a FIFO must give the error below instead of waiting for a writer.
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) fail(path, "open", errno);
  struct stat status;
  if (::fstat(fd.get(), &status) != 0) fail(path, "read the size of", errno);
  if (S_ISDIR(status.st_mode)) fail(path, "open", EISDIR);
  RL_CHECK(S_ISREG(status.st_mode), OSError, "cannot map '", path, "': it is not a regular file");
  const auto size = static_cast<size_t>(status.st_size);
  void* data = nullptr;
  if (size > 0) {
    const int protection = PROT_READ | (access == Access::CopyOnWrite ? PROT_WRITE : 0);
    data = ::mmap(nullptr, size, protection, MAP_PRIVATE | MAP_NORESERVE, fd.get(), 0);
    if (data == MAP_FAILED) fail(path, "map", errno);
  }
  return std::shared_ptr<const MappedFile>(
      new MappedFile(path, static_cast<const std::byte*>(data), size));
}

MappedFile::~MappedFile() {
  if (size_ > 0) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace rushlight
