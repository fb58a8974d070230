#include "space.h"

#include <fcntl.h>
#include <linux/falloc.h>

#include <algorithm>
#include <cerrno>

namespace rushlight::shm {
namespace {

uint64_t page_after(uint64_t offset) { return (offset + kPage - 1) / kPage; }

}  // namespace

Space::Space(uint64_t begin, uint64_t end) : pages_(page_after(end)) {
  free_.emplace(begin, end - begin);
}

std::optional<uint64_t> Space::take(uint64_t nbytes) {
  nbytes = rounded(nbytes);
  const uint64_t align = nbytes >= 16 * kPage ? kPage : 256;
  const auto start = [&](uint64_t offset) { return (offset + align - 1) / align * align; };
  auto best = free_.end();
  for (auto at = free_.begin(); at != free_.end(); ++at) {
    const uint64_t end = at->first + at->second;
    if (start(at->first) + nbytes > end) continue;
    if (best == free_.end() || at->second < best->second) best = at;
    if (at->second == nbytes) break;
  }
  if (best == free_.end()) return std::nullopt;
  const uint64_t from = best->first, end = from + best->second, offset = start(from);
  free_.erase(best);
  if (offset > from) free_.emplace(from, offset - from);
  if (end > offset + nbytes) free_.emplace(offset + nbytes, end - offset - nbytes);
  taken_ += nbytes;
  return offset;
}

void Space::give_back(uint64_t offset, uint64_t nbytes) {
  nbytes = rounded(nbytes);
  taken_ -= nbytes;
  auto after = free_.lower_bound(offset);
  if (after != free_.end() && after->first == offset + nbytes) {
    nbytes += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin()) {
    auto before = std::prev(after);
    if (before->first + before->second == offset) {
      before->second += nbytes;
      return;
    }
  }
  free_.emplace(offset, nbytes);
}

uint64_t Space::missing(uint64_t offset, uint64_t nbytes) const {
  uint64_t count = 0;
  for (uint64_t page = offset / kPage; page < page_after(offset + nbytes); ++page)
    count += !exists(page);
  return count * kPage;
}

int Space::commit(int file, uint64_t offset, uint64_t nbytes) {
  const uint64_t end = page_after(offset + nbytes);
  for (uint64_t page = offset / kPage; page < end;) {
    if (exists(page)) {
      ++page;
      continue;
    }
    uint64_t last = page;
    while (last < end && !exists(last)) ++last;
    const int error = ::posix_fallocate(file, static_cast<off_t>(page * kPage),
                                        static_cast<off_t>((last - page) * kPage));
    if (error == EINTR) continue;
    if (error) return error;
    std::fill(pages_.begin() + static_cast<long>(page), pages_.begin() + static_cast<long>(last),
              true);
    existing_ += last - page;
    page = last;
  }
  return 0;
}

void Space::trim(int file, uint64_t keep) {
  uint64_t left = idle();
  for (auto at = free_.rbegin(); at != free_.rend() && left > keep; ++at) {
    const uint64_t first = page_after(at->first), last = (at->first + at->second) / kPage;
    if (first >= last) continue;
    const auto begin = pages_.begin() + static_cast<long>(first);
    const auto end = pages_.begin() + static_cast<long>(last);
    const auto existing = static_cast<uint64_t>(std::count(begin, end, true));
    if (existing == 0) continue;
    if (::fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    static_cast<off_t>(first * kPage),
                    static_cast<off_t>((last - first) * kPage)) != 0)
      continue;
    std::fill(begin, end, false);
    existing_ -= existing;
    left -= std::min(left, existing * kPage);
  }
}

}  // namespace rushlight::shm
