#include "generator.h"

#include <memory>

namespace rushlight {

namespace {
thread_local std::unique_ptr<Generator> thread_generator;
}

Generator& default_generator() {
  static Generator generator;
  return thread_generator ? *thread_generator : generator;
}

void use_thread_generator(bool enabled) {
  thread_generator = enabled ? std::make_unique<Generator>() : nullptr;
}

}  // namespace rushlight
