// Opens any bytes as an archive and reads all entries: an `Error` or the contents, nothing else.
#include "core/error.h"
#include "input.h"
#include "runtime/crc32.h"
#include "runtime/inflate.h"
#include "runtime/zip.h"

using namespace rushlight;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const StoragePtr bytes = fuzz::input(data, size);
  try {
    const ZipArchive archive({bytes->data(), size}, bytes, "fuzz", {.max_inflated_size = 1 << 20});
    for (const ZipEntry& entry : archive.entries()) {
      if (archive.find(entry.name) != &entry) __builtin_trap();
      try {
        // Checksums of changed data are wrong nearly always; what is behind them is read anyway.
        const StoragePtr contents = archive.read(entry, CheckCrc::Never);
        if (contents->nbytes() != entry.size) __builtin_trap();
        crc32({contents->data(), contents->nbytes()});
        archive.read(entry, CheckCrc::Always);
      } catch (const Error&) {
      }
    }
  } catch (const Error&) {
  }
  // The bytes themselves as a compressed stream, which needs no valid archive around it.
  try {
    const StoragePtr out = Storage::allocate(size ? 16 * data[0] : 0);
    inflate({bytes->data(), size}, {out->data(), out->nbytes()}, "fuzz");
  } catch (const Error&) {
  }
  return 0;
}
