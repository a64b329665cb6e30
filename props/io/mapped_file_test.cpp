#include "io/mapped_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "props/rejection.hpp"
#include "props/temporary_folder.hpp"

namespace {

using lawful::io::Access;
using lawful::io::MappedFile;
using lawful::props::contains;
using lawful::props::rejection;
using lawful::props::TemporaryFolder;

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

std::string refused(const std::filesystem::path& path) {
  return rejection([&] { MappedFile file(path); });
}

}  // namespace

TEST_CASE("a file's bytes, mapped and copied") {
  const TemporaryFolder folder;
  const auto path = folder.file("a", "some bytes");
  for (const auto access : {Access::mapped, Access::copied}) {
    MappedFile file(path, access);
    CHECK(text_of(file) == "some bytes");
    CHECK(file.unchanged());
    MappedFile moved(std::move(file));
    CHECK(text_of(moved) == "some bytes");
    MappedFile assigned(folder.file("b", "others"));
    assigned = std::move(moved);
    CHECK(text_of(assigned) == "some bytes");
    CHECK(assigned.path() == path.string());
  }
}

TEST_CASE("what is not a file with bytes in it is refused, by name") {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);  // no writer: opening it must not wait
  CHECK(contains(refused(pipe), "pipe: expected a file, found a pipe"));
  CHECK(contains(refused(folder.path()), "expected a file, found a directory"));
  CHECK(contains(refused("/dev/null"), "/dev/null: expected a file, found a device"));
  CHECK(contains(refused(folder.file("empty", "")), "empty: expected a file, found an empty one"));
  CHECK(contains(refused(folder.path() / "missing"), "missing: expected a readable file, found No such file"));
  CHECK(contains(refused(""), "expected a readable file"));
  CHECK(contains(refused(folder.path() / "two\nlines"), "two\\x0alines: expected a readable file"));
  const auto locked = folder.file("locked", "x");
  std::filesystem::permissions(locked, std::filesystem::perms::none);
  if (geteuid() != 0) CHECK(contains(refused(locked), "locked: expected a readable file, found Permission denied"));
}

TEST_CASE("a copied file does not see what happens to it later") {
  const TemporaryFolder folder;
  const auto path = folder.file("a", std::string(10000, 'x'));
  const MappedFile file(path, Access::copied);
  std::filesystem::resize_file(path, 0);
  CHECK(text_of(file) == std::string(10000, 'x'));
  CHECK_FALSE(file.unchanged());
}

TEST_CASE("a mapped file that is cut short ends the process with a message and status 2") {
  const TemporaryFolder folder;
  const auto path = folder.file("cut", std::string(3 * 65536, 'x'));
  const auto errors = folder.path() / "errors";
  const pid_t child = fork();
  if (child == 0) {
    lawful::io::stop_on_lost_pages();
    if (freopen(errors.c_str(), "w", stderr) == nullptr) _exit(3);
    const MappedFile file(path);
    if (truncate(path.c_str(), 65536) != 0) _exit(4);
    volatile std::byte last = file.bytes().back();
    static_cast<void>(last);
    _exit(5);  // the lost page could be read
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 2);
  std::ifstream printed(errors);
  const std::string line{std::istreambuf_iterator<char>(printed), {}};
  CHECK(contains(line, "cut: expected the file to stay as it was when opened"));
}
