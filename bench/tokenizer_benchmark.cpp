// How fast the tokenizer loads, encodes and decodes.
//   tokenizer_benchmark TOKENIZER_JSON [NAME=TEXTS.jsonl]… [--benchmark_…]
// TEXTS.jsonl: one JSON string a line, each encoded by itself. Without any, texts of a few hard kinds.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tokenizer/detokenizer.hpp"
#include "tokenizer/tokenizer_json.hpp"

namespace {

using namespace lawful::tokenizer;
using Texts = std::vector<std::string>;

std::size_t total_bytes(const Texts& texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  return bytes;
}

void count_bytes(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * static_cast<std::int64_t>(state.iterations()));
}

void load(benchmark::State& state, const std::string& json) {
  for (auto _ : state) benchmark::DoNotOptimize(read_tokenizer_json(json, "tokenizer.json").size());
}

void encode(benchmark::State& state, const Tokenizer& tokenizer, const Texts& texts) {
  for (auto _ : state) {
    for (const std::string& text : texts) benchmark::DoNotOptimize(tokenizer.encode(text).data());
  }
  count_bytes(state, total_bytes(texts));
}

void encode_batch(benchmark::State& state, const Tokenizer& tokenizer, const Texts& texts) {
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const auto threads = static_cast<unsigned>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(tokenizer.encode_batch(views, Specials::parsed, threads).data());
  count_bytes(state, total_bytes(texts));
}

void stream(benchmark::State& state, const Tokenizer& tokenizer, const Texts& texts) {
  const auto ids = tokenizer.encode_batch(std::vector<std::string_view>(texts.begin(), texts.end()), Specials::parsed, 1);
  for (auto _ : state) {
    for (const auto& list : ids) {
      Detokenizer decoder(tokenizer);
      for (const Id id : list) benchmark::DoNotOptimize(decoder.push(id).data());
      benchmark::DoNotOptimize(decoder.finish().data());
    }
  }
  count_bytes(state, total_bytes(texts));
}

std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Texts json_lines(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  Texts texts;
  for (std::string line; std::getline(file, line);) texts.push_back(nlohmann::json::parse(line));
  return texts;
}

std::vector<std::pair<std::string, Texts>> hard_texts() {
  const auto repeated = [](const std::string& unit) {
    std::string text;
    while (text.size() < (1U << 20U)) text += unit;
    return Texts{text};
  };
  return {{"one_letter", repeated("a")}, {"spaces", repeated(" ")}, {"digits", repeated("0123456789")},
          {"emoji", repeated("\U0001f600")}, {"cjk", repeated("\u4e00\u4e8c\u5929\u5730")}};
}

int run(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  if (count < 2) {
    std::fputs("usage: tokenizer_benchmark TOKENIZER_JSON [NAME=TEXTS.jsonl]... [--benchmark_...]\n", stderr);
    return 2;
  }
  static const std::string json = whole_file(arguments[1]);
  static const Tokenizer tokenizer = read_tokenizer_json(json, arguments[1]);
  static std::vector<std::pair<std::string, Texts>> all;
  for (int i = 2; i < count; ++i) {
    const std::string argument = arguments[i];
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos) throw std::runtime_error("expected NAME=TEXTS.jsonl, found " + argument);
    all.emplace_back(argument.substr(0, equals), json_lines(argument.substr(equals + 1)));
  }
  if (all.empty()) all = hard_texts();
  benchmark::RegisterBenchmark("load", load, json)->Unit(benchmark::kMillisecond);
  for (const auto& [name, texts] : all) {
    const auto* const these = &texts;
    benchmark::RegisterBenchmark(("encode/" + name).c_str(), [these](auto& s) { encode(s, tokenizer, *these); });
    benchmark::RegisterBenchmark(("batch/" + name).c_str(), [these](auto& s) { encode_batch(s, tokenizer, *these); })
        ->DenseRange(1, static_cast<int>(std::max(1U, std::thread::hardware_concurrency())))
        ->UseRealTime();
    benchmark::RegisterBenchmark(("stream/" + name).c_str(), [these](auto& s) { stream(s, tokenizer, *these); });
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tokenizer_benchmark: %s\n", error.what());
    return 2;
  }
}
