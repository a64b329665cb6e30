"""A headless Chromium, driven through its DevTools protocol over two pipes: no port, no library, no network."""
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

TIMEOUT_S = 60


class Browser:
    """One page at a time. What the page asks of the network, and what it complains of, is kept in `events`."""

    def __init__(self, width=1280, height=900):
        self._folder = tempfile.TemporaryDirectory(prefix="lawful-browser-", ignore_cleanup_errors=True)
        to_browser, self._to = os.pipe()
        self._from, from_browser = os.pipe()
        path = shutil.which("chromium")
        assert path, "chromium is not installed"
        self._process = subprocess.Popen(
            [path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--hide-scrollbars", f"--window-size={width},{height}",
             f"--user-data-dir={self._folder.name}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=lambda: self._place(to_browser, from_browser), close_fds=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._buffer, self._count, self._session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    @staticmethod
    def _place(reading, writing):
        """The protocol's pipes are descriptors 3 and 4."""
        reading, writing = (fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (reading, writing))
        os.dup2(reading, 3)
        os.dup2(writing, 4)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._session = None
            self.call("Browser.close")
            self._process.wait(timeout=TIMEOUT_S)
        finally:
            self._process.kill()
            self._process.wait()
        os.close(self._to)
        os.close(self._from)
        self._folder.cleanup()

    def call(self, method, **parameters):
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._count:
                assert "error" not in answer, f"{method}: {answer}"
                return answer["result"]

    def _read(self):
        until = time.monotonic() + TIMEOUT_S
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._from], [], [], max(until - time.monotonic(), 0))
            assert ready, "the browser does not answer"
            piece = os.read(self._from, 1 << 20)
            assert piece, f"the browser went away: exit status {self._process.wait()} (does it lack address space?)"
            self._buffer += piece
        text, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(text)
        if "method" in message:
            self.events.append(message)
        return message

    def scheme(self, name):
        """light or dark."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url=f"file://{path}")
        self.wait_for("document.documentElement?.dataset.ready == 'yes'")

    def wait_for(self, condition):
        until = time.monotonic() + TIMEOUT_S
        while not self.value(condition):
            assert time.monotonic() < until, f"never so: {condition}; complaints: {self.complaints()}"
            time.sleep(0.05)

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def press(self, *keys):
        for key in keys:
            code = {"Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35,
                    "Enter": 13}[key]
            for kind in ("keyDown", "keyUp"):
                self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                          **({"text": "\r"} if key == "Enter" and kind == "keyDown" else {}))

    def screenshot(self, whole=False):
        """A PNG of the window, or of the whole page."""
        options = {"captureBeyondViewport": True} if whole else {}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            options["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", **options)["data"])

    def requests(self):
        """Addresses that the page asked for, beside itself."""
        asked = [event["params"]["request"]["url"] for event in self.events
                 if event["method"] == "Network.requestWillBeSent"]
        return [url for url in asked if not url.startswith("file://")] + asked[1:]

    def complaints(self):
        """Exceptions, and what the console shows as an error."""
        return [event["params"] for event in self.events
                if event["method"] == "Runtime.exceptionThrown" or
                event["method"] == "Runtime.consoleAPICalled" and event["params"]["type"] in ("error", "warning") or
                event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] in ("error", "warning")]
