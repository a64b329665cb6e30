// Files and folders that appear whole or not at all.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "io/atomic_file.hpp"
#include "io/atomic_folder.hpp"
#include "io/bad_input.hpp"
#include "props/rejection.hpp"
#include "props/temporary_folder.hpp"

namespace {

using lawful::io::AtomicFile;
using lawful::io::AtomicFolder;
using lawful::props::contains;
using lawful::props::TemporaryFolder;
namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

template <class Call>
std::string failure(Call&& call) {
  try {
    call();
  } catch (const lawful::io::Failure& error) {
    return error.what();
  }
  return "";
}

/// No file of this process may grow beyond `bytes`: what a full disk does, on any machine.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limited);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("a file appears at commit, replacing what was there, with ordinary permissions") {
  const TemporaryFolder folder;
  const auto path = folder.file("out", "old");
  AtomicFile file(path.string());
  file.write("new ");
  file.write("content");
  CHECK(content(path) == "old");
  file.commit();
  CHECK(content(path) == "new content");
  CHECK(entries(folder.path()) == 1);
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  const mode_t mask = umask(0);
  umask(mask);
  CHECK((status.st_mode & 0777U) == (0666U & ~mask));
}

TEST_CASE("without commit nothing is left and nothing is changed") {
  const TemporaryFolder folder;
  const auto path = folder.file("out", "old");
  {
    AtomicFile file(path.string());
    file.write("new");
    CHECK(entries(folder.path()) == 2);
  }
  CHECK(content(path) == "old");
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("a full disk is a failure that names the file and leaves nothing") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "out";
  const std::string message = failure([&] {
    const FullDisk full(4096);
    AtomicFile file(path.string());
    file.write(std::string(10000, 'x'));
    file.commit();
  });
  CHECK(contains(message, "out: cannot be written: File too large"));
  CHECK(entries(folder.path()) == 0);
}

TEST_CASE("a folder that is not there is a failure") {
  const TemporaryFolder folder;
  CHECK(contains(failure([&] { AtomicFile file((folder.path() / "no" / "out").string()); }), "cannot be created"));
  CHECK(contains(failure([&] { AtomicFolder out(folder.path() / "no" / "out"); }),
                 "out: cannot be created: No such file"));
}

TEST_CASE("a folder appears at commit with what was put into it") {
  const TemporaryFolder folder;
  for (const auto* name : {"out", "slash/", "empty"}) {
    if (std::string(name) == "empty") fs::create_directory(folder.path() / name);
    AtomicFolder out(folder.path() / name);
    AtomicFile file((out.path() / "a").string());
    file.write("x");
    file.commit();
    out.commit();
    CHECK(content(folder.path() / name / "a") == "x");
  }
  CHECK(entries(folder.path()) == 3);
}

TEST_CASE("without commit a folder is removed with what is in it") {
  const TemporaryFolder folder;
  {
    AtomicFolder out(folder.path() / "out");
    AtomicFile file((out.path() / "a").string());
    file.commit();
  }
  CHECK(entries(folder.path()) == 0);
}

TEST_CASE("a target that is in the way is refused before anything is made") {
  const TemporaryFolder folder;
  folder.file("file", "x");
  fs::create_directory(folder.path() / "full");
  folder.file("full/a", "x");
  for (const auto* name : {"file", "full"}) {
    CHECK(contains(lawful::props::rejection([&] { AtomicFolder out(folder.path() / name); }),
                   std::string(name) + ": expected a new or an empty folder to write into"));
  }
  CHECK(entries(folder.path()) == 2);
}
