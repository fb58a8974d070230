#include "generator.h"

namespace rushlight {
namespace {

thread_local Generator* chosen = nullptr;

}  // namespace

Generator& default_generator() {
  static Generator generator;
  return chosen ? *chosen : generator;
}

GeneratorScope::GeneratorScope(Generator* generator) : before_(chosen) {
  if (generator) chosen = generator;
}
GeneratorScope::~GeneratorScope() { chosen = before_; }

}  // namespace rushlight
