"""What the program says of itself: help with examples that are its own, suggestions for slips of the hand, its version."""
import re
import shlex

import program
from cases import run_cases


def help_of(*command):
    return program.run(*command, "--help").out.decode()


def options_of(command):
    """The names of options that the help lists."""
    return set(re.findall(r"(?:^  |,)(--?[a-z][\w-]*)", help_of(*command), re.M))


class Help(program.ProgramCase):
    def test_the_commands_are_listed(self):
        self.assertLessEqual({"generate", "laws", "trace", "completion"}, set(program.commands()))

    def test_every_command_shows_examples_of_itself(self):
        for command in ((), *((name,) for name in program.commands())):
            with self.subTest(command=command):
                text = self.done(*command, "--help").out.decode()
                self.assertIn(" ".join(("Usage: lawful", *command)), text)
                examples = text.partition("\nExample")[2]
                self.assertTrue(examples, text)
                lines = [line.strip() for line in re.sub(r"^s?: ", "", examples).splitlines() if "lawful " in line]
                for line in lines:
                    self.assertRegex(line, r"\blawful " + "".join(command))

    def test_examples_use_options_that_there_are(self):
        for name in program.commands():
            for line in re.findall(rf"lawful {name} .*", help_of(name).partition("\nExample")[2]):
                line = re.split(r" &&| [|<>]|  ", line)[0]
                words = shlex.split(line.partition(")")[0] if name == "completion" else line)
                used = {word.partition("=")[0] for word in words if re.match("--?[a-z]", word)}
                self.assertLessEqual(used, options_of((name,)), line)

    def test_without_a_terminal_there_is_no_colour(self):
        for arguments in (("--help",), ("generate", "--help"), ("--version",), ("frobnicate",)):
            result = program.run(*arguments)
            self.assertNotIn(b"\x1b", result.out + result.err)


class Suggestions(program.ProgramCase):
    def test_a_slip_of_the_hand_is_understood(self):
        for arguments, meant in ((("genrate", "x"), "generate"), (("--versoin",), "--version"), (("insepct",), "inspect"),
                                 (("generate", "--tokns", "4", "x"), "--tokens"), (("trace", "x", "--htlm=y"), "--html"),
                                 (("laws", "--smtlb"), "--smtlib"), (("bench", "--josn"), "--json")):
            with self.subTest(arguments=arguments):
                self.assertTrue(self.refused(*arguments).endswith(f"; did you mean {meant}?\n"))

    def test_what_is_near_to_nothing_is_not_guessed(self):
        for arguments in (("frobnicate",), ("generate", "--frobnicate", "x"), ("generate", "x", "tokens"), ("laws", "-z")):
            with self.subTest(arguments=arguments):
                self.assertNotIn("did you mean", self.refused(*arguments))

    def test_options_of_another_command_are_not_suggested(self):
        self.assertNotIn("--html", self.refused("generate", "--htlm", "x"))


class Version(program.ProgramCase):
    def test_it_tells_build_instruction_sets_and_model(self):
        model = self.scratch / "model.gguf"
        lines = self.done("--version", env={"LAWFUL_MODEL": str(model)}).out.decode().splitlines()
        self.assertRegex(lines[0], r"\Alawful \d+\.\d+\.\d+ \(([0-9a-f]{7,}(-dirty)?|no git)\)\Z")
        self.assertRegex(lines[1], r"\Abuild: (gcc|clang) \d+[\d.]*, \w+, \w+\Z")
        self.assertEqual(lines[3], f"default model: SmolLM2-135M-Instruct, Q4_1: {model} (not there; ./lawful fetches it)")
        model.write_bytes(b"")
        lines = self.done("--version", env={"LAWFUL_MODEL": str(model)}).out.decode().splitlines()
        self.assertTrue(lines[3].endswith(f"{model} (there)"))

    def test_its_instruction_sets_are_those_that_can_be_used(self):
        message = self.refused("generate", "--isa", "none", "x")
        self.assertIn("one of " + ", ".join(program.instruction_sets()), message)
        for name in program.instruction_sets():
            self.done("generate", "--isa", name, "-n", "1", "x")


if __name__ == "__main__":
    run_cases()
