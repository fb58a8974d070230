#include "generator.h"

namespace rushlight {

Generator& default_generator() {
  static Generator generator;
  return generator;
}

}  // namespace rushlight
