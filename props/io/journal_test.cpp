// Records that outlive kills and full disks.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <vector>

#include "io/bad_input.hpp"
#include "io/journal.hpp"
#include "props/property.hpp"
#include "props/rejection.hpp"
#include "props/temporary_folder.hpp"

namespace {

using namespace lawful::props;
using lawful::io::Journal;
namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> records(const Journal& journal) {
  std::vector<std::string> out;
  journal.each([&](std::string_view record, Journal::Place place) {
    out.emplace_back(record);
    CHECK(place.size == record.size());
  });
  return out;
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

}  // namespace

TEST_CASE("a journal cut anywhere has the records before the cut, and goes on") {
  property("every cut", [] {
    const auto texts = *rc::gen::container<std::vector<std::string>>(
        rc::gen::container<std::string>(rc::gen::inRange(' ', '~')));
    const TemporaryFolder folder;
    const std::string path = folder.path() / "journal";
    {
      Journal journal(path);
      for (const auto& text : texts) journal.append(text);
    }
    const auto whole = fs::file_size(path);
    const auto cut = *rc::gen::inRange<std::uintmax_t>(0, whole + 1);
    fs::resize_file(path, cut);
    std::vector<std::string> expected;
    for (std::uintmax_t end = 0; const auto& text : texts) {
      end += text.size() + 1;
      if (end <= cut) expected.push_back(text);
    }
    RC_CLASSIFY(expected.size() < texts.size(), "something was lost");
    {
      Journal journal(path);
      RC_ASSERT(records(journal) == expected);
      journal.append("more");
    }
    expected.emplace_back("more");
    RC_ASSERT(records(Journal(path)) == expected);
  }, 200);
}

TEST_CASE("records longer than what is read at once are whole") {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "journal";
  const std::vector<std::string> texts{std::string((1U << 20U) - 1, 'a'), std::string(1U << 20U, 'b'), "",
                                       std::string(3U << 20U, 'c'), "d"};
  {
    Journal journal(path);
    for (const auto& text : texts) journal.append(text);
  }
  CHECK(records(Journal(path)) == texts);
}

TEST_CASE("finishing writes the records in the wanted order, and leaves nothing else") {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "journal", out = folder.file("out", "from before");
  {
    Journal journal(path);
    journal.append("one");
    journal.append("two");
  }
  Journal journal(path);
  std::vector<Journal::Place> places;
  journal.each([&](std::string_view, Journal::Place place) { places.push_back(place); });
  places.push_back(journal.append("three"));
  std::ranges::reverse(places);
  journal.finish(places, out);
  CHECK(content(out) == "three\ntwo\none\n");
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("a journal is one process's at a time") {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "journal";
  {
    Journal journal(path);
    journal.append("mine");
    CHECK(contains(failure([&] { Journal other(path); }), "another process is writing it"));
    CHECK(records(journal).empty() == false);
  }
  CHECK(records(Journal(path)) == std::vector<std::string>{"mine"});
}

TEST_CASE("a full disk is a failure, and keeps the records before it") {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "journal";
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  {
    Journal journal(path);
    journal.append("first");
    const rlimit limited{20, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limited);
    CHECK(contains(failure([&] { journal.append("a record that does not fit"); }), "cannot be written"));
    setrlimit(RLIMIT_FSIZE, &before);
  }
  CHECK(fs::file_size(path) == 20);  // torn
  CHECK(records(Journal(path)) == std::vector<std::string>{"first"});
}

TEST_CASE("what is no file, or lies where nothing can be made, is refused") {
  const TemporaryFolder folder;
  CHECK(contains(rejection([&] { Journal journal(folder.path().string()); }), "expected a regular file"));
  CHECK(contains(rejection([] { Journal journal("/dev/null"); }), "expected a regular file"));
  CHECK(contains(failure([&] { Journal journal((folder.path() / "absent" / "x").string()); }), "cannot be opened"));
}
