"""Bad input ends with one line that names the thing, what was expected and what was found; exit 2, and no result."""
import os
import resource
import struct

import program
from cases import run_cases
from model_files import Header

TEXT = "The capital of France is"


class Models(program.ProgramCase):
    """Files that are no model of ours. Each is refused by generate and by inspect."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.header = Header(program.default_model())

    def file(self, name, content):
        path = self.scratch / name
        path.write_bytes(content)
        return str(path)

    def damaged(self, name, changes=(), size=None):
        return self.header.write(self.scratch / name, changes, size)

    def refused_as_model(self, path, *names):
        for arguments in (("generate", "-m", path, "-n", "1", TEXT), ("inspect", path)):
            with self.subTest(command=arguments[0], names=names):
                self.refused(*arguments, names=(os.path.basename(path), *names))

    def test_an_undamaged_header_is_not_refused_for_its_header(self):
        """The control: what the cases below are refused for is their change and not the builder."""
        path = self.damaged("control.gguf")
        self.assertEqual(program.run("tokenize", "-m", path, TEXT).status, program.DONE)

    def test_missing(self):
        self.refused_as_model(str(self.scratch / "absent.gguf"))

    def test_an_empty_name(self):
        for arguments in (("generate", "-m", "", "-n", "1", TEXT), ("tokenize", "--model", "", TEXT), ("inspect", ""),
                          ("convert", "", str(self.scratch / "out.gguf"), "--to", "f32")):
            with self.subTest(command=arguments[0]):
                self.refused(*arguments, names=("expected a file or a folder, found an empty name",))

    def test_a_folder_without_a_model(self):
        folder = self.scratch / "empty_folder"
        folder.mkdir()
        self.refused_as_model(str(folder))

    def test_empty(self):
        self.refused_as_model(self.file("empty.gguf", b""))

    def test_a_device(self):
        self.refused("generate", "-m", "/dev/null", "-n", "1", TEXT, names=("/dev/null",))

    def test_a_named_pipe_does_not_block(self):
        path = self.scratch / "pipe.gguf"
        os.mkfifo(path)
        self.refused("generate", "-m", str(path), "-n", "1", TEXT, names=("pipe.gguf",), timeout=20)

    def test_unreadable(self):
        path = self.scratch / "unreadable.gguf"
        path.write_bytes(b"GGUF")
        path.chmod(0)
        # Root reads everything by a capability; without its capabilities it is an owner like any other.
        powerless = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.geteuid() == 0 else ()
        for arguments in (("generate", "-m", str(path), "-n", "1", TEXT), ("inspect", str(path))):
            with self.subTest(command=arguments[0]):
                self.refused(*arguments, under=powerless, names=("unreadable.gguf",))

    def test_not_a_gguf(self):
        self.refused_as_model(self.file("text.gguf", b"This is a text, and no model at all.\n" * 100))
        self.refused_as_model(self.damaged("magic.gguf", [(0, b"GGUX")]))

    def test_another_version_or_byte_order(self):
        self.refused_as_model(self.damaged("version.gguf", [(4, struct.pack("<I", 99))]), "99")
        self.refused_as_model(self.damaged("big_endian.gguf", [(4, struct.pack(">I", 3))]))

    def test_cut_short(self):
        for size in (3, 4, 8, 23, 24, 100, 5000, 900_000, self.header.end - 1, self.header.end,
                     self.header.size // 2, self.header.size - 1):
            self.refused_as_model(self.damaged(f"cut_{size}.gguf", size=size))

    def test_counts_that_the_file_cannot_hold(self):
        for name, offset in (("tensors", 8), ("pairs", 16), ("key", 24)):
            for count in (1 << 40, (1 << 58) + 1, (1 << 63), (1 << 64) - 1):
                self.refused_as_model(self.damaged(f"{name}_{count}.gguf", [(offset, struct.pack("<Q", count))]))

    def test_wrong_architecture(self):
        at = self.header.values["general.architecture"][0] + 8
        self.refused_as_model(self.damaged("architecture.gguf", [(at, b"qwen2")]), "general.architecture", "llama",
                              "qwen2")

    def test_unknown_shape_lists_the_known_ones(self):
        at = self.header.values["llama.block_count"][0]
        message = self.refused("inspect", self.damaged("layers.gguf", [(at, struct.pack("<I", 29))]),
                               names=("layers.gguf",))
        for known in ("135M", "360M", "1.7B"):
            self.assertIn(known, message)

    def test_missing_tensor(self):
        at = self.header.tensors["blk.7.attn_k.weight"]["name"]
        self.refused_as_model(self.damaged("missing.gguf", [(at, b"blk.7.attn_z.weight")]), "blk.7.attn_")

    def test_tensor_twice(self):
        at = self.header.tensors["blk.7.attn_k.weight"]["name"]
        self.refused_as_model(self.damaged("twice.gguf", [(at, b"blk.7.attn_v.weight")]), "blk.7.attn_v.weight")

    def test_wrong_shape_type_and_offset(self):
        places = self.header.tensors["blk.7.attn_k.weight"]
        # An offset is seen to be wrong where the gap is: at this tensor or at the one that stood behind it.
        for name, place, value, named in (
                ("shape", "dimensions", struct.pack("<Q", 577), "blk.7.attn_k.weight"),
                ("huge", "dimensions", struct.pack("<Q", 1 << 63), "blk.7.attn_k.weight"),
                ("type", "type", struct.pack("<I", 999), "blk.7.attn_k.weight"),
                ("offset", "offset", struct.pack("<Q", 1 << 40), "blk.7.attn_"),
                ("wraps", "offset", struct.pack("<Q", (1 << 64) - 32), "blk.7.attn_")):
            self.refused_as_model(self.damaged(f"{name}.gguf", [(places[place], value)]), named)

    def test_another_tokenizer(self):
        at = self.header.values["tokenizer.ggml.pre"][0] + 8
        for command in (("tokenize", "x"), ("generate", "-n", "1", "x")):
            path = self.damaged("pre.gguf", [(at, b"qwenlm")])
            self.refused(command[0], "-m", path, *command[1:], names=("tokenizer.ggml.pre", "qwenlm"))


class Prompts(program.ProgramCase):
    def test_bytes_that_are_not_utf8(self):
        for text, offset in ((b"\xff", 0), (b"abc\xe2\x80", 3), (b"a\xc0\x80", 1), (b"ab\xed\xa0\x80c", 2),
                             (b"\xf4\x90\x80\x80", 0), (b"\xf0\x9f\x98", 0), (b"caf\xe9", 3), (b"\x80", 0)):
            for command in ("generate", "tokenize"):
                with self.subTest(text=text, command=command):
                    self.refused(command, "--", text, names=(str(offset),))
                    self.refused(command, "-", stdin=text, names=(str(offset),))

    def test_empty(self):
        self.refused("generate", "")
        self.refused("generate", "-")
        self.refused("logits", "", "-o", str(self.scratch / "none.safetensors"))
        self.assertFalse((self.scratch / "none.safetensors").exists())

    def test_without_a_token(self):
        self.refused("generate", "\x04")

    def test_longer_than_the_context(self):
        self.refused("generate", "--context", "4", TEXT, names=("4", "5"))
        self.refused("generate", "-", stdin=b" word" * 9000, names=("8192", "9000"))

    if not program.SANITIZED:  # AddressSanitizer takes more address space than there is
        def test_a_context_that_memory_does_not_hold(self):
            """Address space for the program and the model, not for the 377 MB of 8,192 positions."""
            def little(*arguments):
                limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (350 << 20, 350 << 20))
                return program.run("generate", "-t", "1", "-n", "1", *arguments, TEXT, preexec_fn=limit)
            refused = little("--context", "8192")
            self.assertEqual(refused.status, program.BAD_INPUT, str(refused))
            self.assertRegex(refused.err, rb"\A[^\n]*--context[^\n]* MB [^\n]*8192[^\n]* 377 MB\n\Z", str(refused))
            fewer = little()
            self.assertEqual((fewer.status, fewer.out), (program.DONE, b" Paris\n"), str(fewer))
            self.assertRegex(fewer.err, rb"\A[^\n]*8192[^\n]* positions are used\n\Z", str(fewer))

    def test_malformed_json_lines_are_named_by_number(self):
        for line in (b'"open', b"not json", b"[1, 2]", b'{"text": "x"}', b'"\xff"', b'"a" "b"', b'"\\ud800"', b"17"):
            with self.subTest(line=line):
                result = program.run("tokenize", "--jsonl", "-", stdin=b'"good"\n' + line + b"\n")
                self.assertEqual(result.status, program.BAD_INPUT, str(result))
                self.assertRegex(result.err, rb"\A[^\n]*\b2\b[^\n]*\n\Z", str(result))
        for line in (b"[1, 2", b'"text"', b"[1.5]", b"[-1]", b"[49152]", b'["1"]', b"[1] [2]", b"[[1]]",
                     b"[99999999999999999999]", b"{}"):
            with self.subTest(line=line):
                result = program.run("detokenize", "--jsonl", "-", stdin=b"[1]\n" + line + b"\n")
                self.assertEqual(result.status, program.BAD_INPUT, str(result))
                self.assertRegex(result.err, rb"\A[^\n]*\b2\b[^\n]*\n\Z", str(result))

    def test_deep_json_is_refused_and_not_followed(self):
        for command in ("tokenize", "detokenize"):
            with self.subTest(command=command):
                self.refused(command, "--jsonl", "-", stdin=b"[" * 200_000 + b"\n")


class Ids(program.ProgramCase):
    def test_out_of_range(self):
        for number in ("49152", "-1", "2147483648", "4294967296", "18446744073709551616"):
            with self.subTest(id=number):
                self.refused("detokenize", "--", "1", number, names=(number,))
                self.refused("logits", f"--ids=1,{number}", "-o", str(self.scratch / "x"), names=(number,))

    def test_not_numbers(self):
        for text in ("abc", "1.5", "0x10", "1e3", "", " "):
            with self.subTest(id=text):
                self.refused("detokenize", "--", "1", text)
        for text in ("1,,2", "1;2", "", ",", "1,", "one"):
            with self.subTest(ids=text):
                self.refused("logits", "--ids", text, "-o", str(self.scratch / "x"))
        self.assertFalse((self.scratch / "x").exists())

    def test_layers_out_of_range(self):
        for layers in ("30", "-1", "0,30", "x", "99999999999999999999"):
            with self.subTest(layers=layers):
                self.refused("trace", "--ids=1,2", f"--layers={layers}", "-o", str(self.scratch / "trace"))
        self.assertFalse((self.scratch / "trace").exists())


class Options(program.ProgramCase):
    def test_numbers_out_of_range(self):
        for option, values in (("-n", ("-1", "x", "1.5", "", "99999999999999999999")),
                               ("--threads", ("0", "-1", "1025", "two", "99999999999999999999")),
                               ("-t", ("0", "1025")),
                               ("--context", ("0", "-1", "8193", "x")),
                               ("--chunk", ("0", "-1", "x"))):
            for value in values:
                with self.subTest(option=option, value=value):
                    self.refused("generate", option, value, TEXT)

    def test_the_message_names_the_option_and_what_was_found(self):
        self.refused("generate", "-n", "-1", TEXT, names=("-n", "-1"))
        self.refused("generate", "--threads", "0", TEXT, names=("--threads", "1024", "0"))
        self.refused("generate", "--threads", "1025", TEXT, names=("--threads", "1024", "1025"))

    def test_unknown(self):
        self.refused("generate", "--frobnicate", TEXT, names=("--frobnicate",))
        self.refused("frobnicate", names=("frobnicate",))
        self.refused("generate", "--isa", "frobnicate", TEXT, names=("--isa", "frobnicate", "avx2"))
        self.refused(names=("generate",))

    def test_missing_or_superfluous(self):
        self.refused("generate")
        self.refused("generate", TEXT, "and another")
        self.refused("generate", "-n")
        self.refused("inspect")
        self.refused("logits", TEXT, names=("-o",))
        self.refused("logits", "-o", str(self.scratch / "x"))
        self.refused("logits", "--ids=1", TEXT, "-o", str(self.scratch / "x"))


if __name__ == "__main__":
    run_cases()
