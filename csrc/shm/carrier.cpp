#include "carrier.h"

#include <algorithm>
#include <cerrno>

#include "host_state.h"

namespace rushlight::shm {

uint32_t register_ring(const Hold& ring) {
  const Reference reference = ring.reference(false);
  const std::lock_guard lock(state().mutex);
  const Reply reply = state()
                          .link_to(reference.manager)
                          .ask({Op::Ring, Kind::Memory, reference.segment, reference.entry});
  return reply.error ? kMostRings : reply.process;
}

bool Carrier::takes(const Hold& block) const {
  const std::lock_guard lock(state().mutex);
  return block.mapping_->link == ring_.mapping_->link && block.mapping_->link->alive();
}

RingReference Carrier::load(const Hold& block) {
  const std::lock_guard lock(state().mutex);
  if (block.mapping_->link != ring_.mapping_->link)
    fail(EINVAL, "a queue takes along blocks of its own shared memory manager only");
  const uint32_t entry = block.mapping_->uses.at(block.offset_).entry;
  return {block.mapping_->id, entry, block.mapping_->block(entry).generation.load()};
}

// The block in its table, if its segment is mapped; under State::mutex.
Block* Carrier::find(const RingReference& block) const {
  const auto& segments = ring_.mapping_->link->segments;
  const auto found = segments.find(block.segment);
  if (found == segments.end() || block.entry >= found->second->header->entries) return nullptr;
  return &found->second->block(block.entry);
}

bool Carrier::enter(const RingReference& reference) {
  const std::lock_guard lock(state().mutex);
  Block* block = find(reference);
  if (number_ != kMostRings) return block->enter(number_);
  block->depart();
  return false;
}

// Under State::mutex.
bool Carrier::mapped(const std::vector<RingReference>& blocks) const {
  const auto& segments = ring_.mapping_->link->segments;
  return std::all_of(blocks.begin(), blocks.end(), [&](const RingReference& block) {
    return segments.count(block.segment) != 0;
  });
}

bool Carrier::ready(const std::vector<RingReference>& blocks) {
  if (failure_) return true;
  const std::lock_guard lock(state().mutex);
  return mapped(blocks) && (orphan_ || !ring_.mapping_->link->dead);
}

void Carrier::fetch(const std::vector<RingReference>& blocks) {
  const std::lock_guard lock(state().mutex);
  state().unmap_retired();
  try {
    Link& link = state().link_to(ring_.mapping_->link->address);
    for (const RingReference& block : blocks) mapping_of(link, block.segment);
  } catch (const SystemError& error) {
    // The message stays where it is if it may be received later.
    if (error.code() == EMFILE || error.code() == ENFILE || error.code() == ENOMEM) throw;
    orphan_ = ring_.mapping_->link->dead && mapped(blocks);
    if (!orphan_) failure_ = error;
  }
}

void Carrier::hold(const RingReference& reference) {
  if (failure_) return;
  const std::lock_guard lock(state().mutex);
  try {
    const auto found = ring_.mapping_->link->segments.find(reference.segment);
    if (found == ring_.mapping_->link->segments.end()) fail(EINVAL, "a segment was unmapped");
    held_.push_back(hold_block(found->second, reference.entry, reference.generation, false));
  } catch (const SystemError& error) {
    failure_ = error;
  }
}

void Carrier::leave(const RingReference& reference) {
  const std::lock_guard lock(state().mutex);
  Block* block = find(reference);
  if (!block || block->generation.load() != reference.generation) return;
  if (number_ != kMostRings) {
    block->leave(number_);
  } else {
    block->arrive();
  }
  if (failure_) block->free_if_unused();
}

std::vector<std::unique_ptr<Hold>> Carrier::unload() {
  if (failure_) {
    held_.clear();
    throw SystemError(*failure_);
  }
  return std::move(held_);
}

}  // namespace rushlight::shm
