"""`lawful trace --html`: the figures in the page are those of `lawful logits` and `lawful trace`, its texts are texts, and
it needs nothing from outside.
"""
import base64
import html.parser
import json
import os
import pathlib
import re
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "props" / "cli"), str(ROOT / "reference")]
import program  # noqa: E402
from cases import run_cases  # noqa: E402
from checkpoint import open_checkpoint  # noqa: E402
from safetensors_file import SafetensorsFile  # noqa: E402

TEXT = "The capital of France is Paris. The capital of Italy is"
HOSTILE = "<b>x</b></script><script>document.title='owned'</script><!-- 🦙 \n\t <|im_end|> & \u00a0\u2028é"
MOST_TOKENS = 128


class Markup(html.parser.HTMLParser):
    """The elements of a page, in order, and the text of those with an id."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.attributes, self.texts, self._id = [], [], {}, None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes += attrs
        self._id = dict(attrs).get("id")

    def handle_data(self, data):
        self.texts[self._id] = self.texts.get(self._id, "") + data


def softmax(logits):
    shifted = np.exp(logits.astype("float64") - logits.max(axis=-1, keepdims=True).astype("float64"))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def rows_of(packed, heads, count):
    """A layer's weights as heads × tokens × tokens, in units of the whole."""
    flat = np.frombuffer(base64.b64decode(packed), "<u2")
    full = np.zeros((heads, count, count), np.int64)
    full[:, *np.tril_indices(count)] = flat.reshape(heads, -1)
    return full


class Pages(program.ProgramCase):
    def page(self, *arguments):
        path = self.scratch / "page.html"
        self.done("trace", "--html", str(path), *arguments)
        return path.read_text("utf-8")

    def figures(self, *arguments):
        return json.loads(Markup(self.page(*arguments)).texts["trace"])

    def tensors(self, command, *arguments):
        path = self.scratch / f"{command}.safetensors"
        self.done(command, *arguments, "-o", str(path))
        return SafetensorsFile(path)


class Figures(Pages):
    """One page and the files of the same text, held against each other."""
    found = traced = logits = count = None

    def setUp(self):
        super().setUp()
        if self.found is None:
            kind = type(self)
            kind.found = self.figures(TEXT)
            kind.traced = self.tensors("trace", TEXT)  # mapped, so the file may go
            kind.logits = self.tensors("logits", TEXT).tensor("logits")
            kind.count = len(self.found["ids"])

    def assert_likely(self, pairs, p, count):
        """`pairs` are the `count` likeliest of the probabilities p."""
        order = np.argsort(-p, kind="stable")[:count]
        self.assertEqual([i for i, _ in pairs], order.tolist())
        np.testing.assert_allclose([x for _, x in pairs], p[order], rtol=2e-5)

    def test_every_figure_is_explained(self):
        page = (ROOT / "docs" / "trace.md").read_text("utf-8")
        rows = "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))
        self.assertEqual(set(re.findall(r"`(\w+)`", rows)), set(self.found))

    def test_tokens(self):
        ids = [int(x) for x in self.done("tokenize", TEXT).out.split()]
        self.assertEqual(self.found["ids"], ids)
        self.assertEqual("".join(self.found["texts"][str(i)] for i in ids), TEXT)

    def test_next_tokens_are_the_softmax_of_the_logits(self):
        p = softmax(self.logits)
        for t in range(self.count):
            self.assert_likely(self.found["next"][t], p[t], 10)
        np.testing.assert_allclose(self.found["given"], p[np.arange(self.count - 1), self.found["ids"][1:]], rtol=2e-5)

    def test_norms_are_of_the_traced_stream(self):
        self.assertEqual(len(self.found["norms"]), 61)
        for layer in range(30):
            for step, name in enumerate("ay"):
                rows = self.traced.tensor(f"layer.{layer}.{name}").astype("float64")
                np.testing.assert_allclose(self.found["norms"][1 + 2 * layer + step], np.linalg.norm(rows, axis=1), rtol=2e-5)

    def test_attention_is_the_softmax_of_the_traced_scores(self):
        for layer in range(30):
            q = self.traced.tensor(f"layer.{layer}.qr").astype("float64").reshape(self.count, 3, 3, 64)
            k = self.traced.tensor(f"layer.{layer}.kr").astype("float64").reshape(self.count, 3, 64)
            scores = np.einsum("tgid,sgd->gits", q, k).reshape(9, self.count, self.count) / 8
            scores[:, np.triu(np.ones((self.count, self.count), bool), 1)] = -np.inf
            found = rows_of(self.found["attention"][layer], 9, self.count)
            self.assertLess(np.abs(found / 65535 - softmax(scores)).max(), 1.01 / 65535)
            self.assertTrue((found.sum(axis=2) == 65535).all())
            # What attention made of the values in the program is what these weights make of them.
            v = self.traced.tensor(f"layer.{layer}.v").astype("float64").reshape(self.count, 3, 64)
            made = np.einsum("gits,sgd->tgid", softmax(scores).reshape(3, 3, self.count, -1), v).reshape(self.count, -1)
            np.testing.assert_allclose(made, self.traced.tensor(f"layer.{layer}.attn"), rtol=1e-3, atol=1e-4)

    def test_the_lens_ends_in_the_output_and_reads_the_layers(self):
        self.assertEqual(len(self.found["lens"]), 31)
        self.assertEqual(self.found["lens"][30], [row[:5] for row in self.found["next"]])
        checkpoint = open_checkpoint(str(program.default_model()))
        gain = checkpoint.tensor("model.norm.weight").astype("float64")
        embedding = checkpoint.tensor("model.embed_tokens.weight").astype("float64")
        rows = embedding[self.found["ids"]]
        np.testing.assert_allclose(self.found["norms"][0], np.linalg.norm(rows, axis=1), rtol=2e-5)
        streams = {0: rows, 16: self.traced.tensor("layer.15.y").astype("float64")}
        for at, stream in streams.items():
            normed = gain * stream / np.sqrt((stream ** 2).mean(axis=1, keepdims=True) + 1e-5)
            p = softmax(normed @ embedding.T)
            for t in range(self.count):
                self.assert_likely(self.found["lens"][at][t], p[t], 5)


class Files(Pages):
    def test_the_same_page_whatever_the_machine_does(self):
        pages = {self.page(TEXT, *options) for options in ((), ("-t", "1", "--chunk", "5"), ("--chunk", "1"))}
        self.assertEqual(len(pages), 1)

    def test_tensors_are_the_same_beside_a_page(self):
        alone, beside = self.scratch / "alone", self.scratch / "beside"
        self.done("trace", "Hello", "--layers", "0,15", "-o", str(alone))
        self.done("trace", "Hello", "--layers", "0,15", "-o", str(beside), "--html", str(self.scratch / "page.html"))
        self.assertEqual(alone.read_bytes(), beside.read_bytes())

    def test_texts_are_never_markup(self):
        plain, hostile = Markup(self.page("Hello")), Markup(self.page(HOSTILE))
        self.assertEqual(hostile.elements, plain.elements)
        # Whatever tokens a vocabulary has, none can end the element or begin a comment in it.
        self.assertNotIn("<", hostile.texts["trace"])
        found = json.loads(hostile.texts["trace"])
        self.assertLessEqual({"</", "script"}, set(found["texts"].values()))
        self.assertIn("<|im_end|>", found["texts"].values())
        self.assertTrue(any(re.fullmatch("⟨([0-9A-F]{2}[ ⟩])+", text) for text in found["texts"].values()))

    def test_it_asks_for_nothing_from_outside(self):
        text = self.page("Hello")
        self.assertIn("default-src 'none'", text)
        self.assertEqual(re.findall(r"https?://[^\"'\s]+", text), ["http://www.w3.org/2000/svg"])
        self.assertEqual([pair for pair in Markup(text).attributes if pair[0] in ("src", "href", "action")], [])

    def test_one_token_and_the_most(self):
        self.assertEqual(len(self.figures("Hi")["ids"]), 1)
        ids = ",".join(str(100 + 7 * i) for i in range(MOST_TOKENS))
        found = self.figures("--ids", ids)
        self.assertEqual(len(found["ids"]), MOST_TOKENS)
        self.assertTrue((rows_of(found["attention"][29], 9, MOST_TOKENS).sum(axis=2) == 65535).all())


class Refused(Pages):
    def test_more_tokens_than_a_page_shows(self):
        path = self.scratch / "page.html"
        self.refused("trace", "--html", str(path), "--ids", ",".join(["5"] * (MOST_TOKENS + 1)), names=("--html", "128", "129"))
        self.assertEqual(os.listdir(self.scratch), [])

    def test_a_page_that_cannot_be_written(self):
        for path in (str(self.scratch / "absent" / "x"), "/dev/full"):
            self.refused("trace", "--html", path, "Hello", status=program.FAILED, names=(path,))
        self.refused("trace", "--html", str(self.scratch), "Hello", names=(str(self.scratch),))

    def test_nothing_to_write_and_layers_of_a_page(self):
        self.refused("trace", "Hello", names=("-o", "--html"))
        self.refused("trace", "--html", str(self.scratch / "x"), "--layers", "3", "Hello", names=("--layers", "-o"))
        self.refused("trace", "--html", names=("--html",))


if __name__ == "__main__":
    run_cases()
