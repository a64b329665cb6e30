"""`lawful convert` and `lawful inspect` from outside: the same bits, whole files or none, refusals in one line."""
import hashlib
import os
import pathlib
import shutil
import signal
import time

import program
from cases import run_cases

IDS = "--ids=504,3575,282,4649,314"


class Convert(program.ProgramCase):
    def logits(self, model):
        out = self.scratch / "logits.safetensors"
        self.done("logits", "-m", str(model), IDS, "-o", str(out))
        return out.read_bytes()

    def convert(self, source, name, storage):
        result = self.done("convert", str(source), str(self.scratch / name), "--to", storage)
        self.assertEqual(result.out, b"")
        return self.scratch / name

    def test_the_same_weights_give_the_same_bits(self):
        expected = self.logits(program.default_model())
        gguf = self.convert(program.default_model(), "f32.gguf", "f32")
        self.assertEqual(self.logits(gguf), expected)
        folder = self.convert(gguf, "folder", "f32")
        gguf.unlink()
        self.assertEqual(self.logits(folder), expected)
        self.assertEqual(self.logits(folder / "model.safetensors"), expected)
        text = b"In 2024,\n\n  the caf\xc3\xa9's 12 cats <|im_end|>"
        self.assertEqual(self.done("tokenize", "-m", str(folder), "-", stdin=text).out,
                         self.done("tokenize", "-", stdin=text).out)

    def test_an_interrupted_run_leaves_nothing(self):
        for name in ("out.gguf", "out"):
            with self.subTest(name=name):
                process = program.start("convert", str(program.default_model()), str(self.scratch / name), "--to", "f32")
                while not os.listdir(self.scratch) and process.poll() is None:
                    time.sleep(0.001)
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=program.TIMEOUT_S)
                self.assertEqual((process.returncode, out, err), (program.INTERRUPTED, b"", b""))
                self.assertEqual(os.listdir(self.scratch), [])

    def test_a_copied_model_gives_the_same_bits(self):
        copied = self.scratch / "copied.safetensors"
        self.done("logits", "--copy-model", IDS, "-o", str(copied))
        self.assertEqual(copied.read_bytes(), self.logits(program.default_model()))

    def test_a_file_that_is_written_to_meanwhile_is_not_described(self):
        path = self.scratch / "model.gguf"
        shutil.copyfile(program.default_model(), path)
        process = program.start("inspect", str(path))
        while str(path) not in pathlib.Path(f"/proc/{process.pid}/maps").read_text("utf-8") and process.poll() is None:
            time.sleep(0.001)
        with open(path, "r+b") as file:
            file.write(b"GGUF")
        out, err = process.communicate(timeout=program.TIMEOUT_S)
        self.assertEqual((process.returncode, out), (program.BAD_INPUT, b""))
        self.assertIn(b"model.gguf: expected the file to stay as it was when opened, found it rewritten", err)

    def test_refusals(self):
        model, out = str(program.default_model()), str(self.scratch / "out")
        (self.scratch / "full").mkdir()
        (self.scratch / "full" / "a").write_text("x", encoding="utf-8")
        self.refused("convert", model, out, "--to", "q4_k", names=("--to", "q8_0", "'q4_k'"))
        self.refused("convert", model, out, names=("--to",))
        self.refused("convert", model, "--to", "f32", names=("OUT",))
        self.refused("convert", model, out, "--to", "q8_0", names=("F32, F16 or BF16 for a folder",))
        self.refused("convert", model, str(self.scratch / "full"), "--to", "f32", names=("full", "empty folder"))
        self.refused("convert", str(self.scratch / "absent"), out, "--to", "f32", names=("absent",))
        self.refused("convert", model, str(self.scratch / "absent" / "x.gguf"), "--to", "f32", names=("x.gguf",),
                     status=program.FAILED)
        self.assertEqual(os.listdir(self.scratch), ["full"])

    def test_inspect_reports_every_tensor_and_the_digest(self):
        report = self.done("inspect", str(program.default_model()), "--json").json()
        self.assertEqual(report["files"][0]["sha256"], hashlib.sha256(program.default_model().read_bytes()).hexdigest())
        self.assertEqual(report["tokenizer"], {"tokens": 49152, "control": 17, "merges": 48900})
        self.assertEqual(report["eos"], [0, 2])
        self.assertTrue(report["layout"]["holds"])
        self.assertEqual(len(report["tensors"]), 272)
        for tensor in report["tensors"]:
            self.assertLess(tensor["min"], tensor["max"])
            self.assertTrue(tensor["min"] <= tensor["mean"] <= tensor["max"], tensor)
            self.assertEqual((tensor["nan"], tensor["inf"]), (0, 0))
            self.assertNotEqual(tensor["role"], "unknown")


if __name__ == "__main__":
    run_cases()
