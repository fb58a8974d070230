#include "host.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>

#include "error.h"
#include "host_state.h"

namespace rushlight::shm {
namespace {

constexpr uint64_t kSegment = 256 << 20;  // virtual; pages exist once blocks need them
constexpr uint64_t kAskSystem = 8 << 20;  // from here on, look at what the system has left

uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  uint64_t kilobytes = 0, total = 0;
  while (file >> word >> kilobytes) {
    if (word == "MemAvailable:" || word == "SwapFree:") total += kilobytes * 1024;
    if (word == "SwapFree:") return total;
    std::getline(file, word);
  }
  return ~uint64_t{0};
}

// What $RUSHLIGHT_SHM_LIMIT leaves of the bytes of named files that this process may make.
uint64_t allowance(Kind kind) {
  static const char* const text = std::getenv("RUSHLIGHT_SHM_LIMIT");
  static const uint64_t limit = text && *text ? std::strtoull(text, nullptr, 10) : ~uint64_t{0};
  uint64_t made = 0;
  if (kind == Kind::Memory || limit == ~uint64_t{0}) return ~uint64_t{0};
  for (const auto& [address, link] : state().links)
    for (const auto& [id, mapping] : link->segments)
      if (mapping->owned() && mapping->kind == kind) made += mapping->space->existing();
  return limit > made ? limit - made : 0;
}

uint64_t left(Kind kind) {
  struct statvfs system{};
  uint64_t free = available_memory();
  if (kind == Kind::Named)
    free = ::statvfs(shm_folder().c_str(), &system) == 0 ? system.f_bavail * system.f_frsize : 0;
  return std::min(free, allowance(kind));
}

[[noreturn]] void no_room(int error, uint64_t nbytes, Kind kind, uint64_t left) {
  fail(error, "cannot reserve " + std::to_string(nbytes) + " bytes of shared memory in " +
                  (kind == Kind::Named ? shm_folder() : "a memory file") + ", where " +
                  std::to_string(left) + " bytes are left: " + std::strerror(error));
}

// Takes back what was freed, by whomever. `all`: also what a killed process only half freed.
void collect(Mapping& mapping, bool all) {
  const uint64_t used = mapping.header->used_entries.load();
  for (uint32_t entry = 0; entry < used; ++entry) {
    Block& block = mapping.block(entry);
    const uint32_t seen = block.state.load();
    if (seen == kUnused) continue;
    if (seen == kLive && !(all && block.free_if_unused())) continue;
    block.state.store(kUnused);
    mapping.space->give_back(block.offset, block.nbytes);
    mapping.free_entries.push_back(entry);
  }
}

// A block in this segment, or null; `error` says why where it is not merely full.
std::unique_ptr<Hold> take(const std::shared_ptr<Mapping>& mapping, uint64_t nbytes, int& error) {
  Header& header = *mapping->header;
  if (mapping->free_entries.empty()) {
    const uint64_t next = header.used_entries.load();
    if (next >= header.entries) return nullptr;
    header.used_entries.store(next + 1);
    mapping->free_entries.push_back(static_cast<uint32_t>(next));
  }
  const std::optional<uint64_t> offset = mapping->space->take(nbytes);
  if (!offset) return nullptr;
  const uint64_t missing = mapping->space->missing(*offset, nbytes);
  if (missing > allowance(mapping->kind) ||
      (missing >= kAskSystem && missing > left(mapping->kind)))
    error = ENOSPC;
  if (!error) error = mapping->space->commit(mapping->file.get(), *offset, nbytes);
  if (error) {
    mapping->space->give_back(*offset, nbytes);
    return nullptr;
  }
  const uint32_t entry = mapping->free_entries.back();
  mapping->free_entries.pop_back();
  Block& block = mapping->block(entry);
  block.begin(mapping->link->process, *offset, nbytes);
  mapping->uses[*offset] = {entry, 0};
  return std::make_unique<Hold>(mapping, *offset);
}

std::shared_ptr<Mapping> map_segment(Link& link, const Reply& reply, Descriptor file, bool own) {
  auto mapping =
      std::make_shared<Mapping>(&link, reply.segment, reply.nbytes, reply.kind, file.get());
  if (own) {
    mapping->file = std::move(file);
    mapping->space = std::make_unique<Space>(payload_of(reply.nbytes), reply.nbytes);
  }
  link.segments[reply.segment] = mapping;
  state().by_address[reinterpret_cast<uintptr_t>(mapping->header)] = mapping.get();
  return mapping;
}

std::shared_ptr<Mapping> new_segment(Link& link, uint64_t nbytes, Kind kind) {
  uint64_t size = kSegment;
  while (payload_of(size) + rounded(nbytes) > size) size *= 2;
  Descriptor file;
  const Reply reply = link.ask({Op::Create, kind, 0, size}, &file);
  if (reply.error)
    fail(reply.error, "cannot make a segment of shared memory in " +
                          (kind == Kind::Named ? shm_folder() : std::string("a memory file")) +
                          " for " + std::to_string(nbytes) +
                          " bytes: " + std::strerror(reply.error));
  return map_segment(link, reply, std::move(file), true);
}

std::unique_ptr<Hold> allocate_kind(uint64_t nbytes, Kind kind) {
  Link& link = state().home_link();
  for (const bool thorough : {false, true}) {
    int error = 0;
    uint64_t room = 0;
    for (auto& [id, mapping] : link.segments) {
      if (!mapping->owned() || mapping->kind != kind) continue;
      collect(*mapping, thorough);
      if (thorough) mapping->space->trim(mapping->file.get(), 0);
      error = 0;
      if (auto hold = take(mapping, nbytes, error)) return hold;
      if (error) room = left(kind);
    }
    if (error && thorough) no_room(error, nbytes, kind, room);
    if (!error) break;
  }
  if (nbytes >= kAskSystem && nbytes > left(kind)) no_room(ENOSPC, nbytes, kind, left(kind));
  const std::shared_ptr<Mapping> mapping = new_segment(link, nbytes, kind);
  int error = 0;
  if (auto hold = take(mapping, nbytes, error)) return hold;
  const uint64_t room = left(kind);
  link.ask({Op::Retire, kind, mapping->id});
  state().forget(*mapping);
  no_room(error, nbytes, kind, room);
}

// Idle pages beyond what is kept for later go back to the system, and segments without blocks
// except one.
void tidy(Mapping& mapping) {
  if (mapping.space->idle() <= state().cache) return;
  const auto& segments = mapping.link->segments;
  const auto others = std::count_if(segments.begin(), segments.end(), [&](const auto& other) {
    return other.second->owned() && other.second->kind == mapping.kind;
  });
  if (!mapping.space->empty() || others == 1 || !mapping.link->alive()) {
    mapping.space->trim(mapping.file.get(), state().cache / 2);
    return;
  }
  mapping.link->ask({Op::Retire, mapping.kind, mapping.id});
  state().forget(mapping);
}

}  // namespace

Mapping::Mapping(Link* to, uint64_t number, uint64_t size, Kind of, int fd)
    : link(to), id(number), nbytes(size), kind(of) {
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (memory == MAP_FAILED)
    fail(errno,
         "cannot map " + std::to_string(size) + " bytes of shared memory: " + std::strerror(errno));
  header = static_cast<Header*>(memory);
  if (header->magic != kMagic || header->nbytes != size || header->entries != entries_of(size)) {
    ::munmap(memory, size);
    fail(EINVAL,
         "a segment of shared memory has an unknown layout; do all processes run the same "
         "version of rushlight?");
  }
}

Mapping::~Mapping() { ::munmap(header, nbytes); }

State& state() {
  static State* made = new State;
  return *made;
}

void State::forget(Mapping& mapping) {
  by_address.erase(reinterpret_cast<uintptr_t>(mapping.header));
  mapping.link->segments.erase(mapping.id);
}

void State::unmap_retired() {
  for (auto& [address, link] : links) {
    for (auto at = link->segments.begin(); at != link->segments.end();) {
      const std::shared_ptr<Mapping> mapping = (at++)->second;
      if (mapping->uses.empty() && !mapping->owned() &&
          (mapping->header->retired.load() || link->dead))
        forget(*mapping);
    }
  }
}

Hold::Hold(std::shared_ptr<Mapping> mapping, uint64_t offset)
    : mapping_(std::move(mapping)), offset_(offset) {
  Use& use = mapping_->uses.at(offset);
  ++use.count;
  nbytes_ = mapping_->block(use.entry).nbytes;
  data_ = reinterpret_cast<std::byte*>(mapping_->header) + offset;
}

Hold::~Hold() {
  const std::lock_guard lock(state().mutex);
  Mapping& mapping = *mapping_;
  const auto found = mapping.uses.find(offset_);
  if (--found->second.count != 0) return;
  Block& block = mapping.block(found->second.entry);
  mapping.uses.erase(found);
  block.let_go(mapping.link->process);
  const bool freed = block.free_if_unused();
  const Request check{Op::Check, mapping.kind, mapping.id};
  const bool queue = !freed && block.ring.load() != 0;  // the manager's, once it is nobody else's
  if ((queue || (freed && mapping.header->retired.load())) && !mapping.link->dead)
    send_packet(mapping.link->socket.get(), &check, sizeof(check));
  if (mapping.owned()) {
    if (!freed) return;
    collect(mapping, false);
    tidy(mapping);
    return;
  }
  const bool over = mapping.header->retired.load() || mapping.link->dead;
  if (over && mapping.uses.empty()) state().forget(mapping);
}

Reference Hold::reference(bool counted) const {
  const std::lock_guard lock(state().mutex);
  if (!mapping_->link->alive())
    fail(EPIPE, "the shared memory manager '" + mapping_->link->address + "' is gone");
  const uint32_t entry = mapping_->uses.at(offset_).entry;
  Block& block = mapping_->block(entry);
  if (counted) block.depart();
  return {mapping_->link->address, mapping_->id, entry, block.generation.load(), counted};
}

bool Hold::alive() const {
  const std::lock_guard lock(state().mutex);
  return mapping_->link->alive();
}

bool Hold::used_elsewhere() const {
  const std::lock_guard lock(state().mutex);
  const Block& block = mapping_->block(mapping_->uses.at(offset_).entry);
  return !block.used_by_at_most(mapping_->link->process);
}

std::unique_ptr<Hold> allocate(uint64_t nbytes, Kind kind, bool strict) {
  if (nbytes > uint64_t{1} << 45)
    fail(ENOMEM, "cannot reserve " + std::to_string(nbytes) + " bytes of shared memory");
  const std::lock_guard lock(state().mutex);
  state().unmap_retired();
  try {
    return allocate_kind(nbytes, kind);
  } catch (const SystemError&) {
    if (strict) throw;
    const Kind other = kind == Kind::Memory ? Kind::Named : Kind::Memory;
    try {
      return allocate_kind(nbytes, other);
    } catch (const SystemError&) {
    }
    throw;
  }
}

std::shared_ptr<Mapping> mapping_of(Link& link, uint64_t segment) {
  const auto found = link.segments.find(segment);
  if (found != link.segments.end()) return found->second;
  Descriptor file;
  const Reply reply = link.ask({Op::Open, Kind::Memory, segment}, &file);
  if (reply.error)
    fail(reply.error, reply.error == ENOENT
                          ? "shared memory that was sent here is gone: the process that sent it "
                            "ended, and the message was received before or has been copied"
                          : std::string("cannot open shared memory that was sent here: ") +
                                std::strerror(reply.error));
  return map_segment(link, reply, std::move(file), false);
}

std::unique_ptr<Hold> hold_block(const std::shared_ptr<Mapping>& mapping, uint32_t entry,
                                 uint32_t generation, bool counted) {
  if (entry >= mapping->header->entries) fail(EINVAL, "not a reference to shared memory");
  const uint32_t process = mapping->link->process;
  Block& block = mapping->block(entry);
  const bool mine = block.held_by(process);
  block.hold(process);
  const bool current = block.state.load() == kLive && block.generation.load() == generation &&
                       block.offset <= mapping->nbytes &&
                       block.nbytes <= mapping->nbytes - block.offset;
  if (!current || (counted && !block.arrive())) {
    if (!mine) {
      block.let_go(process);
      block.free_if_unused();
    }
    fail(ESTALE,
         "shared memory that was sent here is gone: a message with arrays can be received "
         "once; pickle it again for every receiver");
  }
  mapping->uses.try_emplace(block.offset, Use{entry, 0});
  return std::make_unique<Hold>(mapping, block.offset);
}

std::unique_ptr<Hold> adopt(const Reference& reference) {
  const std::lock_guard lock(state().mutex);
  state().unmap_retired();
  const std::shared_ptr<Mapping> mapping =
      mapping_of(state().link_to(reference.manager), reference.segment);
  return hold_block(mapping, reference.entry, reference.generation, reference.counted);
}

void give_up(const Reference& reference) {
  if (!reference.counted) return;
  const std::lock_guard lock(state().mutex);
  const auto link = state().links.find(reference.manager);
  if (link == state().links.end()) return;
  const auto found = link->second->segments.find(reference.segment);
  if (found == link->second->segments.end()) return;
  Block& block = found->second->block(reference.entry);
  if (block.generation.load() == reference.generation && block.arrive()) block.free_if_unused();
}

std::unique_ptr<Hold> find(const void* address) {
  const std::lock_guard lock(state().mutex);
  const auto at = reinterpret_cast<uintptr_t>(address);
  auto above = state().by_address.upper_bound(at);
  if (above == state().by_address.begin()) return nullptr;
  Mapping& mapping = *std::prev(above)->second;
  const uint64_t offset = at - reinterpret_cast<uintptr_t>(mapping.header);
  if (offset >= mapping.nbytes) return nullptr;
  auto use = mapping.uses.upper_bound(offset);
  if (use == mapping.uses.begin()) return nullptr;
  --use;
  const uint64_t size = mapping.block(use->second.entry).nbytes;
  if (offset - use->first >= std::max<uint64_t>(size, 1)) return nullptr;
  return std::make_unique<Hold>(mapping.link->segments.at(mapping.id), use->first);
}

void trim(uint64_t keep) {
  const std::lock_guard lock(state().mutex);
  for (auto& [address, link] : state().links)
    for (auto& [id, mapping] : link->segments) {
      if (!mapping->owned()) continue;
      collect(*mapping, true);
      mapping->space->trim(mapping->file.get(), keep);
    }
}

Usage usage() {
  const std::lock_guard lock(state().mutex);
  Usage total;
  for (auto& [address, link] : state().links)
    for (auto& [id, mapping] : link->segments) {
      ++total.mapped;
      total.blocks += mapping->uses.size();
      if (!mapping->owned()) continue;
      ++total.segments;
      total.idle += mapping->space->idle();
    }
  return total;
}

}  // namespace rushlight::shm
