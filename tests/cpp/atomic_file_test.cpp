#include "runtime/atomic_file.h"

#include <sys/stat.h>

#include <iterator>

#include "test.h"

using namespace rushlight;
using namespace rushlight::test;

namespace {

size_t count_files(const TemporaryDirectory& directory) {
  const std::filesystem::directory_iterator files(directory.path());
  return static_cast<size_t>(std::distance(begin(files), end(files)));
}

}  // namespace

TEST(atomic_file_appears_on_commit) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("out");
  AtomicFile file(path);
  file.write("first, ");
  EXPECT(!std::filesystem::exists(path));
  const std::string large(1 << 17, 'x');
  file.write(large);
  file.write("last");
  EXPECT_EQ(file.position(), 7 + large.size() + 4);
  file.commit();
  EXPECT_EQ(read_file(path), "first, " + large + "last");
  EXPECT_EQ(count_files(directory), 1u);
}

TEST(atomic_file_leaves_the_target_alone_without_commit) {
  const TemporaryDirectory directory;
  write_file(directory.file("out"), "old");
  {
    AtomicFile(directory.file("out")).write("new");
  }
  EXPECT_EQ(read_file(directory.file("out")), "old");
  EXPECT_EQ(count_files(directory), 1u);
}

TEST(atomic_file_keeps_permissions_and_links) {
  const TemporaryDirectory directory;
  write_file(directory.file("real"), "old");
  EXPECT_EQ(::chmod(directory.file("real").c_str(), 0640), 0);
  std::filesystem::create_symlink("real", directory.file("link"));
  AtomicFile file(directory.file("link"));
  file.write("new");
  file.commit();
  EXPECT(std::filesystem::is_symlink(directory.file("link")));
  EXPECT_EQ(read_file(directory.file("real")), "new");
  struct stat status;
  EXPECT_EQ(::stat(directory.file("real").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(atomic_file_errors_name_the_target) {
  const TemporaryDirectory directory;
  EXPECT_ERROR(AtomicFile(directory.file("no/such/x.npz")), OSError,
               "x.npz': No such file or directory");
  EXPECT_ERROR(AtomicFile(directory.path().string()), OSError, "Is a directory");
  EXPECT_ERROR(AtomicFile("/dev/full"), OSError, "not a regular file");
}
