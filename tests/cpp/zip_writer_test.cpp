#include "runtime/zip_writer.h"

#include "bytes.h"
#include "runtime/zip.h"
#include "test.h"

using namespace rushlight;
using namespace rushlight::test;

TEST(zip_writer_and_reader_agree) {
  const TemporaryDirectory directory;
  for (const auto mode : {Zip64::WhenNeeded, Zip64::Always}) {
    ZipWriter writer(directory.file("z"), {.zip64 = mode});
    const std::string large(300'000, 'L');
    writer.add("first", "one");
    writer.add("w\xC3\xB6rter/zwei", {bytes_of("tw"), bytes_of(""), bytes_of("o")});
    writer.add("large", large);
    writer.add("empty", "");
    writer.finish();
    const ZipArchive archive = ZipArchive::open(directory.file("z"));
    EXPECT_EQ(archive.entries().size(), 4u);
    EXPECT_EQ(as_text(*archive.read("first")), "one");
    EXPECT_EQ(as_text(*archive.read("w\xC3\xB6rter/zwei")), "two");
    EXPECT_EQ(as_text(*archive.read("large", CheckCrc::Always)), large);
    EXPECT_EQ(archive.read("empty")->nbytes(), 0u);
    for (const ZipEntry& entry : archive.entries())
      EXPECT_EQ(reinterpret_cast<uintptr_t>(archive.read(entry)->data()) % 64, 0u);
  }
}

TEST(zip_writer_gives_equal_files_for_equal_contents) {
  const TemporaryDirectory directory;
  for (const char* name : {"a", "b"}) {
    ZipWriter writer(directory.file(name));
    writer.add("x", "contents");
    writer.finish();
  }
  EXPECT_EQ(read_file(directory.file("a")), read_file(directory.file("b")));
}

TEST(zip_writer_refuses_bad_names_and_leaves_no_file) {
  const TemporaryDirectory directory;
  {
    ZipWriter writer(directory.file("z"));
    writer.add("a", "1");
    EXPECT_ERROR(writer.add("a", "2"), Value, "two archive entries are named 'a'");
    EXPECT_ERROR(writer.add("", "2"), Value, "an archive entry's name must be");
    EXPECT_ERROR(writer.add("\xFF", "2"), Value, "an archive entry's name must be");
    EXPECT_ERROR(writer.add(std::string(70'000, 'x'), "2"), Value, "got 70000 bytes");
  }
  EXPECT(std::filesystem::is_empty(directory.path()));
}

TEST(zip_writer_uses_zip64_for_many_entries) {
  const TemporaryDirectory directory;
  ZipWriter writer(directory.file("z"));
  for (int i = 0; i < 70'000; ++i) writer.add(std::to_string(i), "");
  writer.finish();
  const ZipArchive archive = ZipArchive::open(directory.file("z"));
  EXPECT_EQ(archive.entries().size(), 70'000u);
  EXPECT(archive.find("69999") != nullptr);
}
