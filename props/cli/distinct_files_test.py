"""No command writes over what it reads, nor two outputs into one file, by whatever name it is called."""
import os
import shutil

import program
from cases import run_cases

TEXT = "Hi"


class Distinct(program.ProgramCase):
    """Each folder has a model of its own, since one that a fault overwrites is lost."""

    def setUp(self):
        super().setUp()
        self.model = self.scratch / "model.gguf"
        shutil.copyfile(program.default_model(), self.model)
        (self.scratch / "folder").mkdir()

    def names(self):
        """The model by its name, a longer one, a link and a hard link."""
        link, hard = self.scratch / "link", self.scratch / "hard"
        link.symlink_to(self.model.name)
        os.link(self.model, hard)
        return [str(self.model), str(self.scratch / "folder" / ".." / "model.gguf"), str(link), str(hard)]

    def unchanged(self, *arguments, names, **options):
        """A run that is refused and leaves every file what it was."""
        state = lambda: {path.name: path.lstat().st_ino for path in self.scratch.iterdir()}
        before = state()
        self.refused(*arguments, names=names, **options)
        self.assertEqual(state(), before)

    def test_no_output_is_the_model(self):
        for name in self.names():
            for command in (("generate", "-n", "1", "--receipt", name, TEXT), ("logits", "-o", name, TEXT),
                            ("trace", "-o", name, TEXT), ("trace", "--html", name, TEXT)):
                with self.subTest(command=command):
                    self.unchanged(*command, "-m", str(self.model), names=(command[-3], "another file than the model", name[-12:]))
            with self.subTest(name=name):
                self.unchanged("convert", str(self.model), name, "--to", "f32", names=("OUT", "than the model"))
                self.unchanged("chat", "-m", str(self.model), stdin=f"/system x\n/save {name}\n".encode(),
                               names=("/save", "than the model"))
                self.unchanged("batch", str(self.model), "-o", name, names=("-o", "another file than IN"))

    def test_the_default_model_is_one_too(self):
        self.unchanged("logits", "-o", str(self.model), TEXT, env={"LAWFUL_MODEL": str(self.model)}, names=("than the model",))

    def test_nor_a_file_of_a_model_s_folder(self):
        folder = self.scratch / "model"
        self.done("convert", str(self.model), str(folder), "--to", "f16")
        for name in ("config.json", "model.safetensors", "tokenizer.json"):
            with self.subTest(name=name):
                self.refused("logits", "-m", str(folder), "-o", str(folder / name), TEXT, names=("than the model", name))

    def test_two_outputs_are_two_files(self):
        (self.scratch / "there").touch()
        (self.scratch / "other").symlink_to("folder")
        for one, other in (("new", "new"), ("new", "folder/../new"), ("there", "there"), ("folder/new", "other/new")):
            with self.subTest(one=one, other=other):
                self.unchanged("trace", "-o", one, "--html", other, TEXT, cwd=self.scratch, names=("--html", "than -o", other))
        self.done("trace", "-o", "/dev/null", "--html", "/dev/null", TEXT)

    def test_a_batch_s_files_are_not_its_input(self):
        for name in ("out", "out.run", "out.journal"):
            path = self.scratch / name
            path.write_text('{"prompt": "A", "tokens": 1}\n')
            with self.subTest(name=name):
                self.unchanged("batch", str(path), "-o", str(self.scratch / "out"), names=("-o", "than IN"))
            path.unlink()


if __name__ == "__main__":
    run_cases()
