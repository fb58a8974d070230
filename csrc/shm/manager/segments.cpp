#include "segments.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace rushlight::shm {
namespace {

// A manager that runs; not a zombie, nor another program under the same number.
bool is_manager(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string line;
  std::getline(file, line);
  // "42 (rushlight-shm-m) S ...": the kernel keeps 15 letters of the name.
  const std::string name = "(rushlight-shm-m) ";
  const size_t at = line.find(name);
  return at != std::string::npos && line[at + name.size()] != 'Z';
}

// Named segments whose manager was killed. Only those of our process namespace and our user.
void sweep() {
  const std::string folder = shm_folder(), prefix = segment_prefix();
  DIR* entries = ::opendir(folder.c_str());
  if (!entries) return;
  while (const dirent* entry = ::readdir(entries)) {
    const std::string name = entry->d_name;
    if (name.compare(0, prefix.size(), prefix) != 0) continue;
    const std::string pid =
        name.substr(prefix.size(), name.find('-', prefix.size()) - prefix.size());
    struct stat what{};
    const std::string path = folder + "/" + name;
    if (pid == std::to_string(::getpid()) || !is_manager(pid))
      if (::lstat(path.c_str(), &what) == 0 && what.st_uid == ::geteuid()) ::unlink(path.c_str());
  }
  ::closedir(entries);
}

}  // namespace

Segments::Segments() { sweep(); }

int Segments::create(uint32_t owner, const Request& request, Reply& reply, Descriptor& opened) {
  if (owner >= kMostProcesses || request.nbytes % kPage != 0) return EINVAL;
  const uint64_t table = table_end(request.nbytes);
  if (request.nbytes <= table || request.nbytes > uint64_t{1} << 46) return EINVAL;
  const std::string path = segment_path(static_cast<uint32_t>(::getpid()), next_);
  Descriptor file(
      request.kind == Kind::Named
          ? ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)
          : ::memfd_create("rushlight", MFD_CLOEXEC));
  if (!file) return errno;
  int error = ::ftruncate(file.get(), static_cast<off_t>(request.nbytes)) == 0 ? 0 : errno;
  // The table's pages exist before anybody writes to them, so that a full file system is an error
  // here and not a SIGBUS there.
  if (!error) error = ::posix_fallocate(file.get(), 0, static_cast<off_t>(table));
  void* memory = MAP_FAILED;
  if (!error) {
    memory = ::mmap(nullptr, table, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (memory == MAP_FAILED) error = errno;
  }
  if (error) {
    if (request.kind == Kind::Named) ::unlink(path.c_str());
    return error;
  }
  auto* header = static_cast<Header*>(memory);
  header->magic = kMagic;
  header->nbytes = request.nbytes;
  header->entries = entries_of(request.nbytes);
  header->payload = table;
  const int copy = ::fcntl(file.get(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0) {
    error = errno;
    ::munmap(memory, table);
    if (request.kind == Kind::Named) ::unlink(path.c_str());
    return error;
  }
  opened = Descriptor(copy);
  if (request.kind == Kind::Named) file.close();
  reply.segment = next_;
  reply.nbytes = request.nbytes;
  reply.kind = request.kind;
  segments_.emplace(next_++, Segment{request.kind, request.nbytes, owner, std::move(file), header});
  return 0;
}

int Segments::open(uint64_t segment, Reply& reply, Descriptor& opened) {
  const auto found = segments_.find(segment);
  if (found == segments_.end()) return ENOENT;
  reply.segment = segment;
  reply.nbytes = found->second.nbytes;
  reply.kind = found->second.kind;
  const int fd = found->second.kind == Kind::Named
                     ? ::open(segment_path(static_cast<uint32_t>(::getpid()), segment).c_str(),
                              O_RDWR | O_CLOEXEC | O_NOFOLLOW)
                     : ::fcntl(found->second.file.get(), F_DUPFD_CLOEXEC, 0);
  if (fd < 0) return errno;
  opened = Descriptor(fd);
  return 0;
}

bool Segments::unused(Segment& segment) {
  Block* table = segment.header->table();
  const uint64_t used = std::min(segment.header->used_entries.load(), entries_of(segment.nbytes));
  for (uint64_t i = 0; i < used; ++i)
    if (table[i].state.load() == kLive && !table[i].free_if_unused()) return false;
  return true;
}

void Segments::retire(uint64_t segment, uint32_t owner) {
  const auto found = segments_.find(segment);
  if (found == segments_.end() || found->second.owner != owner) return;
  found->second.owner = kMostProcesses;
  found->second.header->retired.store(1);
  if (unused(found->second)) remove(found);
}

void Segments::check(uint64_t segment) {
  rings_.drop_unused(clearing());
  const auto found = segments_.find(segment);
  if (found == segments_.end() || !found->second.header->retired.load()) return;
  if (unused(found->second)) remove(found);
}

int Segments::add_ring(uint64_t segment, uint64_t entry, uint32_t process, uint32_t& number) {
  const auto found = segments_.find(segment);
  if (found == segments_.end()) return ENOENT;
  const Segment& in = found->second;
  if (entry >= std::min(in.header->used_entries.load(), entries_of(in.nbytes))) return EINVAL;
  Block& block = in.header->table()[entry];
  const uint64_t offset = block.offset, nbytes = block.nbytes;
  const bool inside = offset <= in.nbytes && nbytes <= in.nbytes - offset;
  if (!inside || block.state.load() != kLive || !block.held_by(process) || block.ring.load() != 0)
    return EINVAL;
  Reply reply;
  Descriptor file;
  if (const int error = open(segment, reply, file)) return error;
  const uint64_t begin = offset / kPage * kPage, mapped = offset + nbytes - begin;
  void* mapping = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(),
                         static_cast<off_t>(begin));
  if (mapping == MAP_FAILED) return errno;
  number = rings_.add(
      block, {mapping, mapped, static_cast<std::byte*>(mapping) + (offset - begin), nbytes});
  return number == kMostRings ? EUSERS : 0;
}

void Segments::clear(uint32_t ring, const std::set<BlockName>& keep) {
  for (auto& [id, segment] : segments_) {
    Block* table = segment.header->table();
    const uint64_t used = std::min(segment.header->used_entries.load(), entries_of(segment.nbytes));
    for (uint32_t i = 0; i < used; ++i) {
      if (!table[i].in_ring(ring) || keep.count({id, i, table[i].generation.load()})) continue;
      table[i].leave(ring);
      table[i].free_if_unused();
    }
  }
}

void Segments::process_gone(uint32_t process) {
  for (auto& [id, segment] : segments_) {
    Block* table = segment.header->table();
    const uint64_t used = std::min(segment.header->used_entries.load(), entries_of(segment.nbytes));
    for (uint64_t i = 0; i < used; ++i) {
      if (!table[i].held_by(process)) continue;
      table[i].let_go(process);
      table[i].free_if_unused();
    }
    if (segment.owner == process) {
      segment.owner = kMostProcesses;
      segment.header->retired.store(1);
    }
  }
  rings_.drop_unused(clearing());
}

bool Segments::compare_rings() {
  const bool complete = rings_.compare(clearing());
  rings_.drop_unused(clearing());
  remove_unused();
  return complete;
}

void Segments::remove_unused() {
  for (auto at = segments_.begin(); at != segments_.end();)
    at = at->second.header->retired.load() && unused(at->second) ? remove(at) : std::next(at);
}

Segments::At Segments::remove(At at) {
  ::munmap(at->second.header, table_end(at->second.nbytes));
  if (at->second.kind == Kind::Named)
    ::unlink(segment_path(static_cast<uint32_t>(::getpid()), at->first).c_str());
  return segments_.erase(at);
}

void Segments::remove_all() {
  for (auto at = segments_.begin(); at != segments_.end();) at = remove(at);
}

void Segments::count(Reply& reply) const {
  reply.segments = static_cast<uint32_t>(segments_.size());
  for (const auto& [id, segment] : segments_) {
    const Block* table = segment.header->table();
    const uint64_t used = std::min(segment.header->used_entries.load(), entries_of(segment.nbytes));
    for (uint64_t i = 0; i < used; ++i) {
      if (table[i].state.load() != kLive) continue;
      reply.in_flight += table[i].in_flight() + (table[i].in_rings() ? 1 : 0);
      ++reply.held;
    }
  }
}

}  // namespace rushlight::shm
