#include "runtime/mapped_file.h"

#include <sys/stat.h>

#include "test.h"

using namespace rushlight;
using namespace rushlight::test;

TEST(mapped_file_gives_the_contents) {
  const TemporaryDirectory directory;
  write_file(directory.file("a"), "some bytes");
  const auto file = MappedFile::open(directory.file("a"));
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()),
            "some bytes");
  EXPECT_EQ(file->path(), directory.file("a"));
}

TEST(mapped_file_may_be_empty) {
  const TemporaryDirectory directory;
  write_file(directory.file("a"), "");
  EXPECT_EQ(MappedFile::open(directory.file("a"))->bytes().size(), 0u);
}

TEST(mapped_file_that_cannot_be_opened_names_path_and_reason) {
  const TemporaryDirectory directory;
  EXPECT_ERROR(MappedFile::open(directory.file("nothing.pt2")), OSError,
               "nothing.pt2': No such file or directory");
  EXPECT_ERROR(MappedFile::open(directory.path().string()), OSError, "Is a directory");
  EXPECT_EQ(::mkfifo(directory.file("fifo").c_str(), 0600), 0);
  EXPECT_ERROR(MappedFile::open(directory.file("fifo")), OSError, "not a regular file");
}
