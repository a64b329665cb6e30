"""Mutations of product code, each with the law or test that must catch it.

A mutation is (file, what stands there, what is put in its place, catcher). The text must occur exactly once. Catchers:
  law NAME          the law's proof (laws/proofs.cpp) does not compile: the error refutes it, with a counterexample
  registry TEXT     laws/proofs.cpp does not compile, and the error says TEXT
  running TEXT      the laws on the running code fail (props/laws/running_code_test.cpp): the output says TEXT, or the
                    program is stopped by what it does to memory
  tests FILE        the cases of props/model/FILE fail: of what texts are made of beside the structural laws
"""
INDEX = "kernels/index.hpp"
ORDER = "kernels/order.hpp"
CONFIG = "model/config.hpp"
WEIGHTS = "model/weights.hpp"
CACHE = "model/layer_cache.hpp"
STEPS = "model/steps.hpp"
ATTENTION = "kernels/attention.cpp"
ROPE = "kernels/rope.cpp"
SAMPLING = "model/sampling.cpp"
GENERATE = "model/generate.cpp"
BATCH = "model/batch.cpp"
KEPT = "model/kept_text.cpp"
STOP = "model/stop_text.cpp"

KV_HEAD = "N kv_head(N query_head, N group) { return query_head / group; }"
KEYS = "N keys_read(N t) { return t + 1; }"
ADVANCE = "N advance(N t, N n) { return t + n; }"
READING = "N after_reading(N read, N more) { return read + more; }"
EXTENT = "N extent(N rows, N width) { return rows * width; }"
ROW = "N row_begin(N row, N width) { return row * width; }"
COUNT = "const std::size_t count = Index::keys_read(Index::advance(first, row));"
SMALL = '{"SmolLM2-135M", 3, 3, 32, 1536, 30, 49152, 8192, 100000.0, 1e-5}'
MIDDLE = '{"SmolLM2-360M", 5, 3, 32, 2560, 32, 49152, 8192, 100000.0, 1e-5}'
LARGE = '{"SmolLM2-1.7B", 32, 1, 32, 8192, 24, 49152, 8192, 130000.0, 1e-5}'


def returning(text, value):
    """The same function with another value."""
    return text[:text.index("return ")] + f"return {value}; }}"


MUTATIONS = [
    # Index maps: heads.
    (INDEX, KV_HEAD, returning(KV_HEAD, "query_head % group"), "law gqa_head"),
    (INDEX, KV_HEAD, returning(KV_HEAD, "query_head"), "law gqa_head"),
    (INDEX, KV_HEAD, returning(KV_HEAD, "query_head / (group + 1)"), "law gqa_head"),
    (INDEX, KV_HEAD, returning(KV_HEAD, "(query_head + 1) / group"), "law gqa_head"),
    (INDEX, KV_HEAD, returning(KV_HEAD, "(query_head + group - 1) / group"), "law div_rest"),
    (INDEX, KV_HEAD, returning(KV_HEAD, "query_head / group / 2"), "law div_block"),
    # Index maps: positions and steps.
    (INDEX, KEYS, returning(KEYS, "t"), "law causal"),
    (INDEX, KEYS, returning(KEYS, "t + 2"), "law causal"),
    (INDEX, KEYS, returning(KEYS, "t + t + 1"), "law causal"),
    (INDEX, ADVANCE, returning(ADVANCE, "t + n + 1"), "law add_zero"),
    (INDEX, ADVANCE, returning(ADVANCE, "n"), "law add_one"),
    (INDEX, ADVANCE, returning(ADVANCE, "t"), "law add_succ"),
    (INDEX, ADVANCE, returning(ADVANCE, "t + n + n"), "law add_assoc"),
    (INDEX, ADVANCE, returning(ADVANCE, "n > 1 ? t + n - 1 : t + n"), "law add_assoc"),
    (INDEX, "return left - 1;", "return left;", "law step_inv"),
    (INDEX, "return left - 1;", "return left - 2;", "law step_inv"),
    (INDEX, "return count <= left;", "return count <= left + 1;", "law step_room"),
    (INDEX, "return count <= left;", "return left > N(0) || count <= left;", "law step_room"),
    (INDEX, "return count <= left;", "return count < left;", "running room"),
    # The order of addition.
    (ORDER, "return k % N(lanes);", "return k % N(8);", "law term_has_one_place"),
    (ORDER, "return k / N(block);", "return k / N(192);", "law place_has_one_term"),
    (ORDER, "return (k % N(block)) / N(lanes);", "return N(15) - (k % N(block)) / N(lanes);", "law lane_rises"),
    (ORDER, "in_block * N(block) + step * N(lanes) + lane", "in_block * N(block) + lane * N(steps) + step",
     "law term_has_one_place"),
    # Index maps: memory and reading.
    (INDEX, EXTENT, returning(EXTENT, "rows + width"), "law kv_room"),
    (INDEX, EXTENT, returning(EXTENT, "rows * width - width"), "law kv_room"),
    (INDEX, EXTENT, returning(EXTENT, "(rows + 1) * width"), "law arrays_len"),
    (INDEX, EXTENT, returning(EXTENT, "rows * (width - 1)"), "law kv_room"),
    (INDEX, ROW, returning(ROW, "(row + 1) * width"), "law kv_room"),
    (INDEX, ROW, returning(ROW, "row + width"), "law arrays_len"),
    (INDEX, ROW, returning(ROW, "row * (width - 1)"), "law arrays_len"),
    (INDEX, READING, returning(READING, "read + more - 1"), "law read_len"),
    (INDEX, READING, returning(READING, "more"), "law read_len"),
    # Index maps: halves.
    (INDEX, "N first_half(N i, N) { return i; }", "N first_half(N i, N) { return i + i; }", "law head_split"),
    (INDEX, "return half + i;", "return half + i + 1;", "law head_split"),
    (INDEX, "return half + i;", "return i + i + 1;", "law head_split"),
    (INDEX, "return half + i;", "return half + half - 1 - i;", "law head_split"),
    # Configs and what is derived from them.
    (CONFIG, SMALL, SMALL.replace("3, 32, 1536", "3, 64, 1536"), "law smollm2_135m_sizes"),
    (CONFIG, SMALL, SMALL.replace("100000.0", "10000.0"), "law smollm2_135m_sizes"),
    (CONFIG, SMALL, SMALL.replace("3, 3,", "9, 1,"), "law smollm2_135m_sizes"),
    (CONFIG, SMALL, SMALL.replace("1536, 30", "1536, 32"), "law layout_135m"),
    (CONFIG, MIDDLE, MIDDLE.replace("5, 3,", "3, 5,"), "law smollm2_360m_sizes"),
    (CONFIG, MIDDLE, MIDDLE.replace("2560", "1536"), "law layout_360m"),
    (CONFIG, MIDDLE, MIDDLE.replace("8192", "2048"), "law smollm2_360m_sizes"),
    (CONFIG, LARGE, LARGE.replace("130000.0", "100000.0"), "law smollm2_1_7b_sizes"),
    (CONFIG, LARGE, LARGE.replace("1e-5", "1e-6"), "law smollm2_1_7b_sizes"),
    (CONFIG, LARGE, LARGE.replace("49152", "49216"), "law layout_1_7b"),
    (CONFIG, "return 2 * half;", "return half;", "law smollm2_135m_sizes"),
    (CONFIG, "return kv_heads * group;", "return kv_heads + group;", "law smollm2_360m_sizes"),
    (CONFIG, "return kv_heads * head();", "return heads() * head();", "law smollm2_135m_sizes"),
    # The list of tensors.
    (WEIGHTS, ", (OProj, o_proj)", "", "law layout_135m"),
    (WEIGHTS, ", (FinalNorm, norm)", "", "law layout_360m"),
    (WEIGHTS, "\n                           (PostNorm, post_attention_layernorm),", "", "law layout_1_7b"),
    (WEIGHTS, " (UpProj, up_proj),", "", "law layout_135m"),
    (WEIGHTS, "using VProj = Linear<Value<M>, AttnInput<M>>;", "using VProj = Linear<Query<M>, AttnInput<M>>;",
     "law layout_135m"),
    (WEIGHTS, "std::array<Layer<M>, M::config.layers>", "std::array<Layer<M>, M::config.layers - 1>", "law layout_1_7b"),
    # The cache and its counter.
    (CACHE, "return Ix::extent(kv_heads, Ix::extent(capacity, head));", "return Ix::extent(capacity, head);",
     "law kv_heads"),
    (CACHE, "heads() { return M::config.kv_heads; }", "heads() { return M::config.heads(); }", "law kv_heads"),
    (CACHE, "if (!steps_.has_room(count)) return std::nullopt;", "if (count == 0) return std::nullopt;", "running room"),
    (CACHE, "Ix::row_begin(head, Ix::extent(capacity_, Head<A>::size))",
     "Ix::row_begin(head, Ix::extent(capacity_ - 1, Head<A>::size))", "running brim"),
    (CACHE, "Ix::row_begin(position, Head<A>::size)", "Ix::row_begin(0 * position, Head<A>::size)", "running push"),
    (CACHE, "write(values, value_plane(), at)", "write(values, Plane<Value<M>>{planes_.keys(), planes_.capacity()}, at)",
     "running push"),
    (STEPS, "Ix::advance(t, N(1)), Ix::step_left(left)", "Ix::advance(t, N(1)), left", "law step_inv"),
    (STEPS, "return {N(0), capacity};", "return {N(0), capacity + N(1)};", "running capacity"),
    # The kernels, which must use the maps that the laws are about.
    (ATTENTION, "Index::kv_head(h, s.group)", "(h % s.kv_heads)", "running KV head"),
    (ATTENTION, "Index::kv_head(h, s.group)", "(h / s.kv_heads % s.kv_heads)", "running KV head"),
    (ATTENTION, COUNT, "const std::size_t count = Index::advance(first, row);", "running row up to t"),
    (ATTENTION, COUNT, "const std::size_t count = Index::keys_read(Index::advance(first, row)) + 1;", "running NaN"),
    (ATTENTION, COUNT, "const std::size_t count = Index::keys_read(row);", "running row up to t"),
    (ROPE, "b = hn::PromoteTo(d, hn::LoadU(F32Half(), x + two));", "b = hn::PromoteTo(d, hn::LoadU(F32Half(), x + one + 1));",
     "running join"),
    (ROPE, "b = static_cast<double>(x[two]);", "b = static_cast<double>(x[one + 1]);", "running join"),
    # Reading, and rows of activations.
    ("model/checkpoint/gguf_cursor.hpp", "position_ = kernels::Index::after_reading(position_, count);",
     "position_ = kernels::Index::after_reading(position_, count - 1);", "running reading"),
    ("model/rows.hpp", "buffer_(kernels::Index::extent(count, width) * sizeof(Number)), count_(count)",
     "buffer_(kernels::Index::extent(count, width) * sizeof(Number)), count_(count + 1)", "running rows"),
    # Sampling: each filter, its ties and the draw.
    (SAMPLING, "x + 0.0F", "x", "tests sampling_test.cpp"),
    (SAMPLING, "ranked_.resize(sampling_.top_k);", "ranked_.resize(sampling_.top_k - 1);", "tests sampling_test.cpp"),
    (SAMPLING, "reached < sampling_.top_p * total", "reached < sampling_.top_p", "tests sampling_test.cpp"),
    (SAMPLING, "weight < sampling_.min_p", "weight <= sampling_.min_p", "tests sampling_test.cpp"),
    (SAMPLING, "logit > 0.0 ? logit / penalty : logit * penalty", "logit / penalty", "tests sampling_test.cpp"),
    (SAMPLING, "- largest) / sampling_.temperature", "- largest) * sampling_.temperature", "tests sampling_test.cpp"),
    (SAMPLING, "for (const auto id : text) append(id);", "", "tests sampling_test.cpp"),
    (SAMPLING, "uniform(sampling_.seed, position_)", "uniform(sampling_.seed, 7)", "tests sampling_statistics_test.cpp"),
    # Guesses, kept texts and stop texts, which must not show in a text.
    (GENERATE, "if (wrong != 0) sequence_.truncate(sequence_.length() - wrong);", "", "tests speculate_test.cpp"),
    (GENERATE, " || id != guesses[row]", "", "tests speculate_test.cpp"),
    (KEPT, "ids.size() - 1);", "ids.size());", "tests kept_text_test.cpp"),
    (KEPT, "sequence_.truncate(kept_);", "", "tests kept_text_test.cpp"),
    (KEPT, "if (next_) held_.push_back(*next_);", "held_.push_back(id);", "tests kept_text_test.cpp"),
    (STOP, "std::min(stop.size() - 1, held_.size())", "std::min<std::size_t>(1, held_.size())", "tests stop_text_test.cpp"),
    (STOP, "longest = std::max(longest, stop.size());", "longest = stop.size();", "tests stop_text_test.cpp"),
    # Batches: no text's ids or end depend on its company.
    (BATCH, "one->piece == 0", "false", "tests batch_test.cpp"),
    (BATCH, "if (made.ids.size() == limits.tokens) return end(Stop::length);", "", "tests batch_test.cpp"),
    (BATCH, "one.chooser.append(id);", "", "tests batch_test.cpp"),
    (BATCH, "if (one.sequence->left() == 0) return end(Stop::context);", "", "tests batch_test.cpp"),
    # The laws themselves: one that is taken out is missed.
    ("laws/attention.hpp", "using attention_laws = types<causal>;", "using attention_laws = types<>;",
     "registry the structural laws are the 21 published ones"),
    ("laws/heads.hpp", "using head_laws = types<gqa_head, groups_len>;", "using head_laws = types<gqa_head, gqa_head>;",
     "registry a published law is missing"),
    ("laws/attention.hpp", "using mutants = types<own_key_unseen, next_key_seen>;", "using mutants = types<>;",
     "registry a law must name a mutant"),
    ("laws/attention.hpp", "N keys_read(N t) { return t + N{2}; }", "N keys_read(N t) { return t + N{1}; }",
     "registry a mutant agrees with the law"),
]
