"""The command ./lawful: sets up once, then gets out of the way; only the program writes to stdout."""
import pathlib
import shutil
import signal
import time

from cases import Case, run_cases
from fake_machine import MEMBER, Machine

PROGRAMS_STATUS = 7  # of the stand-in that is "built"


class WrapperCase(Case):
    def setUp(self):
        super().setUp()
        self.machine = Machine(self.scratch)
        self.lawful = self.machine.project / "lawful"
        self.model = self.machine.home / ".cache" / "lawful" / MEMBER

    def ran(self, *arguments, stdin=b"", **options):
        """The program ran with these very arguments and this input, and wrote all of stdout."""
        status, out, err = self.machine.run(self.lawful, *arguments, stdin=stdin, **options)
        self.assertEqual((status, out), (PROGRAMS_STATUS, "".join(f"{a}|" for a in arguments).encode() + stdin), err)
        return err


class Build(WrapperCase):
    def test_the_first_run_builds_and_the_second_does_not(self):
        self.ran("inspect", "a model", stdin=b"input \0 bytes")
        self.assertEqual([len(self.machine.calls(tool)) for tool in ("meson", "ninja", "pip")], [1, 1, 0])
        self.assertIn("--buildtype=release", self.machine.calls("meson")[0])
        before = self.machine.calls()
        self.assertEqual(self.ran("--help", stdin=b"x"), "")
        self.assertEqual(self.machine.calls(), before)

    def test_the_second_run_costs_less_than_a_tenth_of_a_second(self):
        self.ran("--help")
        times = []
        for _ in range(5):
            begin = time.monotonic()
            self.ran("--help")
            times.append(time.monotonic() - begin)
        self.assertLess(min(times), 0.1)

    def test_a_changed_added_or_removed_source_builds_again(self):
        self.ran("--help")
        kernels = self.machine.project / "kernels"
        for count, change in enumerate([(kernels / "source.cpp").touch, (kernels / "new.hpp").touch,
                                        (kernels / "new.hpp").unlink, (self.machine.project / "meson.build").touch], 2):
            time.sleep(0.02)
            change()
            self.ran("--help")
            self.assertEqual(len(self.machine.calls("ninja")), count)
        self.assertEqual(len(self.machine.calls("meson")), 1)

    def test_a_failed_build_runs_nothing_and_is_tried_again(self):
        self.ran("--help")
        time.sleep(0.02)
        (self.machine.project / "cli" / "source.cpp").touch()
        self.machine.order("ninja", "fail")
        for _ in range(2):
            status, out, err = self.machine.run(self.lawful, "--help")
            self.assertEqual((status, out), (1, b""))
            self.assertIn("the build failed", err)
        self.machine.order("ninja", "")
        self.ran("--help")

    def test_a_failed_meson_leaves_nothing_that_counts_as_set_up(self):
        self.machine.order("meson", "fail")
        self.assertEqual(self.machine.run(self.lawful, "--help")[0], 1)
        self.machine.order("meson", "")
        self.ran("--help")

    def test_from_anywhere_and_through_a_link(self):
        link = self.scratch / "a link"
        link.symlink_to(self.lawful)
        self.lawful = link
        self.ran("--help", cwd="/")
        self.ran("--help", cwd=self.machine.home)
        self.assertEqual(len(self.machine.calls("meson")), 1)

    def test_a_copied_project_builds_anew(self):
        self.ran("--help")
        copy = self.scratch / "copy with späce"
        shutil.copytree(self.machine.project, copy)
        self.lawful = copy / "lawful"
        self.ran("--help")
        self.ran("--help")
        self.assertEqual(len(self.machine.calls("meson")), 2)

    def test_two_first_runs_at_once_build_once(self):
        both = [self.machine.start(self.lawful, "--help") for _ in range(2)]
        for process in both:
            out, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (PROGRAMS_STATUS, b"--help|"), err)
        self.assertEqual([len(self.machine.calls(tool)) for tool in ("meson", "ninja")], [1, 1])

    def test_ctrl_c_while_building(self):
        for tool in ("meson", "ninja"):
            for whole_group in (True, False):
                with self.subTest(tool=tool, whole_group=whole_group):
                    shutil.rmtree(self.machine.project / "build", ignore_errors=True)
                    (self.machine.fake / "waiting").unlink(missing_ok=True)
                    self.machine.order(tool, "wait")
                    process = self.machine.start(self.lawful, "--help")
                    status, out, _ = self.machine.interrupt_once_waiting(process, whole_group=whole_group)
                    self.assertEqual((status, out), (130, b""))
                    self.machine.order(tool, "")
                    self.ran("--help")


class Packages(WrapperCase):
    def setUp(self):
        super().setUp()
        self.machine.order("missing", "libhwy-dev\nmeson\n")

    def test_missing_ones_are_installed_and_named(self):
        err = self.ran("--help")
        self.assertIn("installing the Debian packages meson libhwy-dev\n", err)
        calls = self.machine.calls("apt-get")
        self.assertEqual(calls[0], "apt-get update")
        self.assertTrue(calls[-1].endswith("install -y --no-install-recommends meson libhwy-dev"), calls)

    def test_without_the_right_the_command_is_printed(self):
        self.machine.order("id", "1000")
        status, out, err = self.machine.run(self.lawful, "--help")
        self.assertEqual((status, out), (1, b""))
        self.assertIn("sudo apt-get update && sudo apt-get install -y --no-install-recommends meson libhwy-dev\n", err)
        self.assertEqual(self.machine.calls(), [])

    def test_a_failing_installation_is_said(self):
        self.machine.order("apt-get", "fail")
        status, out, err = self.machine.run(self.lawful, "--help")
        self.assertEqual((status, out), (1, b""))
        self.assertIn("could not install meson libhwy-dev", err)
        self.assertEqual(self.machine.calls("meson"), [])

    def test_nothing_missing_nothing_installed(self):
        self.machine.order("missing", "")
        self.ran("--help")
        self.assertEqual(self.machine.calls("apt-get"), [])

    def test_the_tests_compiler_is_not_needed_to_run(self):
        self.machine.order("missing", "clang\ncvc5\n")
        self.ran("--help")
        self.assertEqual(self.machine.calls("apt-get"), [])


class Model(WrapperCase):
    def setUp(self):
        super().setUp()
        self.ran("--help")
        self.machine.package(b"not the model")

    def pip_calls(self, *arguments, **options):
        before = len(self.machine.calls("pip"))
        self.machine.run(self.lawful, *arguments, **options)
        return len(self.machine.calls("pip")) - before

    def test_fetched_for_the_commands_that_run_it(self):
        for arguments in (("generate", "x"), ("tokenize", "x"), ("detokenize", "1"), ("logits", "x", "-o", "y"),
                          ("trace", "x", "-o", "y"), ("generate", "--", "-m"), ("-t", "2", "generate", "x")):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.pip_calls(*arguments), 1)

    def test_not_fetched_where_it_is_not_used(self):
        for arguments in (("--help",), (), ("generate", "--help"), ("generate", "-m", "f", "x"), ("inspect", "f"),
                          ("generate", "--model=f", "x"), ("generate", "-mf", "x"), ("laws", "generate")):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.pip_calls(*arguments), 0)

    def test_not_fetched_where_another_is_set_or_it_is_there(self):
        environment = {**self.machine.environment, "LAWFUL_MODEL": "/another"}
        self.assertEqual(self.pip_calls("generate", "x", env=environment), 0)
        self.model.parent.mkdir(parents=True)
        self.model.touch()
        self.assertEqual(self.pip_calls("generate", "x"), 0)

    def test_a_model_that_is_not_to_be_had_ends_it(self):
        status, out, err = self.machine.run(self.lawful, "generate", "x")
        self.assertEqual((status, out), (1, b""))
        self.assertIn("SHA-256", err)

    def test_the_cache_folder(self):
        cache = self.scratch / "cache"
        for variables, folder in (({"XDG_CACHE_HOME": str(cache)}, cache), ({"XDG_CACHE_HOME": "relative"}, None),
                                  ({"XDG_CACHE_HOME": ""}, None)):
            with self.subTest(variables=variables):
                _, _, err = self.machine.run(self.lawful, "generate", "x", env={**self.machine.environment, **variables})
                self.assertIn(str((folder or self.machine.home / ".cache") / "lawful" / MEMBER), err)

    def test_home_unset_or_empty_is_taken_from_the_user_database(self):
        for home in ({}, {"HOME": ""}):
            with self.subTest(home=home):
                environment = {**self.machine.environment, "LAWFUL_MODEL": ""}
                del environment["HOME"]
                script = f'root={self.machine.project}; . "$root/setup/paths.bash"; set -u; default_model_path'
                status, out, err = self.machine.run("bash", "-c", script, env={**environment, **home})
                self.assertEqual((status, err), (0, ""))
                own = pathlib.Path(f"~{__import__('getpass').getuser()}").expanduser()
                self.assertEqual(out.decode(), f"{own}/.cache/lawful/{MEMBER}\n")

    def test_ctrl_c_while_fetching(self):
        for whole_group in (True, False):
            with self.subTest(whole_group=whole_group):
                (self.machine.fake / "waiting").unlink(missing_ok=True)
                self.machine.order("pip", "wait")
                process = self.machine.start(self.lawful, "generate", "x")
                status, out, _ = self.machine.interrupt_once_waiting(process, signal.SIGINT, whole_group)
                self.assertEqual((status, out), (130, b""))
                deadline = time.monotonic() + 5  # the download's own process tidies up after the wrapper has ended
                while len(list(self.model.parent.iterdir())) > 1 and time.monotonic() < deadline:
                    time.sleep(0.05)
                self.assertEqual([path.name for path in self.model.parent.iterdir()], [".lock"])


if __name__ == "__main__":
    run_cases()
