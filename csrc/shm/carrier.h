// Blocks on their way through a ring.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "error.h"
#include "host.h"
#include "ring.h"

namespace rushlight::shm {

/// Registers a block as a ring: its number, or kMostRings if the manager has no number left.
uint32_t register_ring(const Hold& ring);

/// What one call of `Ring::put` or `Ring::get` does with blocks.
class Carrier : public Keeper {
 public:
  /// `ring`: the block that the ring lies in.
  Carrier(const Hold& ring, uint32_t number) : ring_(ring), number_(number) {}

  /// Whether messages in the ring may have the block: the same manager, alive, keeps both.
  bool takes(const Hold& block) const;
  /// A block that takes part in the next `put`; it must be held until then.
  RingReference load(const Hold& block);

  bool enter(const RingReference& block) override;
  bool ready(const std::vector<RingReference>& blocks) override;
  void fetch(const std::vector<RingReference>& blocks) override;
  void hold(const RingReference& block) override;
  void leave(const RingReference& block) override;

  /// The blocks of a message that was received. Throws SystemError if one is gone.
  std::vector<std::unique_ptr<Hold>> unload();

 private:
  Block* find(const RingReference& block) const;
  bool mapped(const std::vector<RingReference>& blocks) const;

  const Hold& ring_;
  uint32_t number_;
  std::vector<std::unique_ptr<Hold>> held_;
  std::optional<SystemError> failure_;
  bool orphan_ = false;  // the manager is gone, and all that is needed is mapped
};

}  // namespace rushlight::shm
