#include "runtime/zip.h"

#include "bytes.h"
#include "runtime/crc32.h"
#include "runtime/zip_writer.h"
#include "test.h"

using namespace rushlight;
using namespace rushlight::test;

namespace {

/// One entry of an archive that a test builds, with the fields a test wants wrong.
struct Entry {
  std::string name = "a";
  std::string data = "hello";
  uint16_t method = 0;
  uint16_t flags = 0;
  uint32_t size = 5;
};

std::string make_zip(const std::vector<Entry>& entries, const std::string& comment = "") {
  std::string file, directory;
  for (const Entry& e : entries) {
    const auto at = static_cast<uint32_t>(file.size());
    const auto common = [&](std::string& out) {
      append<uint16_t>(out, 20);
      append<uint16_t>(out, e.flags);
      append<uint16_t>(out, e.method);
      append<uint32_t>(out, 0);
      append<uint32_t>(out, crc32(bytes_of(e.method ? "hello" : e.data)));
      append<uint32_t>(out, static_cast<uint32_t>(e.data.size()));
      append<uint32_t>(out, e.size);
      append<uint16_t>(out, static_cast<uint16_t>(e.name.size()));
      append<uint16_t>(out, 0);
    };
    append<uint32_t>(file, 0x04034b50);
    common(file);
    file += e.name + e.data;
    append<uint32_t>(directory, 0x02014b50);
    append<uint16_t>(directory, 20);
    common(directory);
    directory.append(10, '\0');
    append<uint32_t>(directory, at);
    directory += e.name;
  }
  const auto offset = static_cast<uint32_t>(file.size());
  file += directory;
  append<uint32_t>(file, 0x06054b50);
  append<uint32_t>(file, 0);
  append<uint16_t>(file, static_cast<uint16_t>(entries.size()));
  append<uint16_t>(file, static_cast<uint16_t>(entries.size()));
  append<uint32_t>(file, static_cast<uint32_t>(directory.size()));
  append<uint32_t>(file, offset);
  append<uint16_t>(file, static_cast<uint16_t>(comment.size()));
  return file + comment;
}

/// "hello" as one fixed-code block.
const std::string kDeflatedHello("\xCB\x48\xCD\xC9\xC9\x07\x00", 7);
Entry deflated(std::string name = "a") { return {std::move(name), kDeflatedHello, 8, 0, 5}; }

ZipArchive open(const std::string& file, const ZipLimits& limits = {}) {
  const StoragePtr storage = storage_of(file);
  return ZipArchive({storage->data(), storage->nbytes()}, storage, "t.zip", limits);
}
std::string read(const std::string& file, std::string_view name = "a") {
  return std::string(as_text(*open(file).read(name)));
}

constexpr size_t kEnd = 22;  // size of the end record, which is last

}  // namespace

TEST(zip_reads_stored_and_deflated_entries) {
  const std::string file = make_zip(
      {{.name = "a"}, deflated("dir/b"), {.name = "empty", .data = "", .size = 0}}, "note");
  const ZipArchive archive = open(file);
  EXPECT_EQ(archive.entries().size(), 3u);
  EXPECT_EQ(archive.entries()[1].name, "dir/b");
  EXPECT_EQ(read(file, "a"), "hello");
  EXPECT_EQ(read(file, "dir/b"), "hello");
  EXPECT_EQ(read(file, "empty"), "");
  EXPECT(archive.find("b") == nullptr);
  EXPECT_ERROR(archive.at("b"), Runtime, "t.zip: no entry 'b' in the archive");
  EXPECT_EQ(open(make_zip({})).entries().size(), 0u);
}

TEST(zip_shares_the_memory_of_stored_entries) {
  StoragePtr contents;
  {
    const ZipArchive archive = open(make_zip({{}}));
    contents = archive.read("a");
    EXPECT(contents->read_only());
    EXPECT_EQ(contents->data(), archive.read("a")->data());
  }
  EXPECT_EQ(as_text(*contents), "hello");  // the archive's memory outlives the archive
  EXPECT(!open(make_zip({deflated()})).read("a")->read_only());
}

TEST(zip_refuses_every_truncation) {
  const std::string file = make_zip({{}, deflated("b")});
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_ERROR(open(file.substr(0, size)), Runtime, "not a ZIP archive, or cut short");
  EXPECT_ERROR(open(file + "x"), Runtime, "not a ZIP archive, or cut short");
  EXPECT_ERROR(open("x" + file), Runtime, "does not end at the end record");
}

TEST(zip_survives_every_changed_byte) {
  const std::string file = make_zip({{}, deflated("b"), {.name = "c"}}, "comment");
  size_t refused = 0;
  for (size_t at = 0; at < file.size(); ++at)
    for (int value : {0, 1, 0x7F, 0x80, 0xFF}) {
      std::string damaged = file;
      damaged[at] = static_cast<char>(value);
      try {
        const ZipArchive archive = open(damaged);
        for (const ZipEntry& entry : archive.entries()) archive.read(entry);
      } catch (const Error& error) {
        ++refused;
        EXPECT(std::string_view(error.what()).starts_with("t.zip: "));
      }
    }
  EXPECT(refused > file.size());
}

TEST(zip_checks_the_directory_s_place) {
  std::string file = make_zip({{}});
  const size_t end = file.size() - kEnd;
  for (const auto& [field, value] :
       {std::pair{12u, 1u}, {12u, 0xFFFFFFFEu}, {16u, 0u}, {16u, 0xFFFFFFFEu}}) {
    std::string damaged = file;
    poke<uint32_t>(damaged, end + field, value);
    EXPECT_ERROR(open(damaged), Runtime, "the central directory (");
  }
  std::string many = file;
  poke<uint16_t>(many, end + 8, 1000);
  poke<uint16_t>(many, end + 10, 1000);
  EXPECT_ERROR(open(many), Runtime, "cannot hold the announced 1000 entries");
  std::string none = file;
  poke<uint16_t>(none, end + 8, 0);
  poke<uint16_t>(none, end + 10, 0);
  EXPECT_ERROR(open(none), Runtime, "bytes more than its 0 entries");
  std::string disks = file;
  poke<uint16_t>(disks, end + 4, 1);
  EXPECT_ERROR(open(disks), Runtime, "several disks");
}

TEST(zip_refuses_what_it_does_not_support) {
  EXPECT_ERROR(open(make_zip({{.method = 14}})), Runtime, "'a' uses compression method 14");
  EXPECT_ERROR(open(make_zip({{.method = 9}})), Runtime, "only 0 (stored) and 8 (deflated)");
  EXPECT_ERROR(open(make_zip({{.flags = 1}})), Runtime, "'a' is encrypted");
  EXPECT_ERROR(open(make_zip({{.flags = 1 << 5}})), Runtime, "with patch data");
}

TEST(zip_refuses_bad_names) {
  EXPECT_ERROR(open(make_zip({{.name = "a"}, {.name = "b"}, {.name = "a"}})), Runtime,
               "two entries are named 'a'");
  EXPECT_ERROR(open(make_zip({{.name = ""}})), Runtime, "the name of entry 0 is empty");
  EXPECT_ERROR(open(make_zip({{.name = "\xFF"}})), Runtime, "not UTF-8");
  EXPECT_ERROR(open(make_zip({{.name = std::string("a\0b", 3)}})), Runtime, "not UTF-8");
  std::string other = make_zip({{.name = "a"}});
  other[30] = 'b';
  EXPECT_ERROR(read(other), Runtime, "local header of entry 'a' (byte 0) has another name");
}

TEST(zip_refuses_links) {
  std::string file = make_zip({{.name = "a"}});
  file[file.size() - kEnd - 47 + 41] = static_cast<char>(0120777 >> 8);
  EXPECT_ERROR(open(file), Runtime, "entry 'a' is a symbolic link");
}

TEST(zip_refuses_overlaps) {
  // Two names for one place: the shape of a bomb without any nesting.
  std::string file = make_zip({{.name = "a"}, {.name = "b"}});
  const size_t second = file.size() - kEnd - 47;
  poke<uint32_t>(file, second + 42, 0);
  EXPECT_ERROR(open(file), Runtime, "overlaps");
  // Data that reach into the directory.
  std::string longer = make_zip({{}});
  const size_t first = longer.size() - kEnd - 47;
  poke<uint32_t>(longer, first + 20, 6);
  poke<uint32_t>(longer, first + 24, 6);
  EXPECT_ERROR(open(longer), Runtime, "'a' (6 bytes at 0) overlaps the central directory");
  // A local header whose extra field pushes the data into the next entry.
  std::string extra = make_zip({{}, {.name = "b"}});
  poke<uint16_t>(extra, 28, 1);
  EXPECT_ERROR(read(extra), Runtime, "reach into what follows");
}

TEST(zip_checks_sizes_and_checksums) {
  EXPECT_ERROR(open(make_zip({{.size = 6}})), Runtime, "'a' is stored, but its sizes differ");
  std::string damaged = make_zip({{}});
  damaged[31] = 'j';
  EXPECT_ERROR(read(damaged), Runtime, "entry 'a' is damaged: its checksum is");
  EXPECT_EQ(as_text(*open(damaged).read("a", CheckCrc::Never)), "jello");
  std::string local = make_zip({{}});
  poke<uint32_t>(local, 22, 6);
  EXPECT_ERROR(read(local), Runtime, "has other sizes");
  Entry longer = deflated();
  longer.size = 6;
  EXPECT_ERROR(read(make_zip({longer})), Runtime, "entry 'a': the compressed data holds 5 bytes");
  Entry trailing = deflated();
  trailing.data += "x";
  EXPECT_ERROR(read(make_zip({trailing})), Runtime, "1 bytes follow the compressed data");
}

TEST(zip_refuses_bombs_before_using_memory) {
  Entry lie = deflated();
  lie.size = 0xFFFFFFFE;
  EXPECT_ERROR(open(make_zip({lie})), Runtime, "more than its 7 compressed bytes can give");
  EXPECT_ERROR(open(make_zip({deflated()}), {.max_inflated_size = 4}).read("a"), Runtime,
               "'a' announces 5 bytes, the limit is 4");
}

TEST(zip_reads_data_descriptors) {
  // As PyTorch writes: no sizes in the local header, a descriptor behind the data.
  std::string file = make_zip({{.flags = 1 << 3}, {.name = "b", .flags = 1 << 3}});
  poke<uint64_t>(file, 14, 0);
  poke<uint32_t>(file, 22, 0);
  EXPECT_EQ(read(file), "hello");
}

TEST(zip_checks_zip64_records) {
  const TemporaryDirectory directory;
  ZipWriter writer(directory.file("z"), {.zip64 = Zip64::Always});
  writer.add("a", "hello");
  writer.finish();
  const std::string file = read_file(directory.file("z"));
  EXPECT_EQ(read(file), "hello");
  const size_t locator = file.size() - kEnd - 20;
  const size_t record = locator - 56;
  const auto damage = [&](size_t at, uint64_t value) {
    std::string damaged = file;
    poke(damaged, at, value);
    return damaged;
  };
  EXPECT_ERROR(open(damage(locator + 8, ~uint64_t{0})), Runtime, "ZIP64 end record at byte");
  EXPECT_ERROR(open(damage(locator + 8, locator - 8)), Runtime, "ZIP64 end record at byte");
  EXPECT_ERROR(open(damage(record + 4, ~uint64_t{0})), Runtime, "ZIP64 end record at byte");
  EXPECT_ERROR(open(damage(record + 24, 7)), Runtime, "contradict each other");
  EXPECT_ERROR(open(damage(record + 40, ~uint64_t{0})), Runtime, "does not end at the end record");
  EXPECT_ERROR(open(damage(record + 48, ~uint64_t{0})), Runtime, "does not end at the end record");
  // The central entry's extra field: 24 bytes of sizes and offset.
  const size_t extra = record - 28;
  EXPECT_ERROR(open(damage(extra + 4, ~uint64_t{0})), Runtime, "sizes differ");
  EXPECT_ERROR(open(damage(extra + 20, ~uint64_t{0})), Runtime, "overlaps the central directory");
  std::string other_id = file;
  poke<uint16_t>(other_id, extra, 2);
  EXPECT_ERROR(open(other_id), Runtime, "'a' lacks its ZIP64 sizes");
  std::string short_extra = file;
  poke<uint16_t>(short_extra, extra + 2, 16);
  EXPECT_ERROR(open(short_extra), Runtime, "'a' lacks its ZIP64 sizes");
}
