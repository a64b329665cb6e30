"""The page of `lawful trace --html` in headless Chromium: it opens without a network, is drawn in light and dark, and is
used from the keyboard. Screenshots are left in the folder that the first argument names.
"""
import pathlib
import struct
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import program  # noqa: E402
from browser import Browser  # noqa: E402
from cases import run_cases  # noqa: E402

TEXT = "The capital of France is Paris. The capital of Italy is"
HOSTILE = "<b>x</b></script><script>document.title='owned'</script><img src=x onerror=alert(1)>\n\u00a0 é"
GROUND = {"light": (0xfb, 0xfa, 0xf7), "dark": (0x12, 0x13, 0x17)}
SHOTS = pathlib.Path(sys.argv.pop(1))


def pixels(png):
    """Rows of (red, green, blue) of an 8-bit PNG without interlacing (PNG specification, sections 9 and 11)."""
    at, data, width, size = 8, b"", 0, 0
    while at < len(png):
        length, kind = struct.unpack_from(">I4s", png, at)
        if kind == b"IHDR":
            width, _, depth, colour = struct.unpack_from(">IIBB", png, at + 8)
            assert depth == 8 and colour in (2, 6)
            size = 3 if colour == 2 else 4
        if kind == b"IDAT":
            data += png[at + 8:at + 8 + length]
        at += 12 + length
    raw, stride, above = zlib.decompress(data), width * size, bytearray(width * size)
    for begin in range(0, len(raw), stride + 1):
        above = unfiltered(raw[begin], bytearray(raw[begin + 1:begin + 1 + stride]), above, size)
        yield [tuple(above[i:i + 3]) for i in range(0, stride, size)]


def unfiltered(kind, line, above, size):
    for i, value in enumerate(line):
        left, up = (line[i - size] if i >= size else 0), above[i]
        corner = above[i - size] if i >= size else 0
        if kind == 4:
            guess = left + up - corner
            guess = min((left, up, corner), key=lambda x: abs(guess - x))
        else:
            guess = (0, left, up, (left + up) // 2)[kind]
        line[i] = (value + guess) & 255
    return line


class InBrowser(program.ProgramCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.__exit__)
        SHOTS.mkdir(parents=True, exist_ok=True)

    def open(self, text, scheme="light"):
        path = self.scratch / "page.html"
        self.done("trace", "--html", str(path), text)
        self.browser.scheme(scheme)
        self.browser.open(path)
        self.addCleanup(self.assert_clean)

    def assert_clean(self):
        self.assertEqual((self.browser.requests(), self.browser.complaints()), ([], []))

    def shot(self, name):
        (SHOTS / f"{name}.png").write_bytes(self.browser.screenshot(whole=True))

    def text(self, selector):
        return self.browser.value(f"document.querySelector({selector!r}).textContent")

    def test_light_and_dark(self):
        for scheme, ground in GROUND.items():
            with self.subTest(scheme=scheme):
                self.open(TEXT, scheme)
                self.shot(scheme)
                rows = list(pixels(self.browser.screenshot()))
                self.assertEqual((rows[0][0], rows[-1][-1]), (ground, ground))
                # Figures are drawn: many colours, and not the ground alone.
                seen = {pixel for row in rows for pixel in row}
                self.assertGreater(len(seen), 500)
                self.assertLess(sum(row.count(ground) for row in rows), 0.5 * len(rows) * len(rows[0]))

    def test_a_change_of_scheme_is_followed(self):
        self.open(TEXT, "light")
        self.browser.value("void (window.before = document.getElementById('map').toDataURL())")
        self.browser.scheme("dark")
        self.browser.wait_for("document.getElementById('map').toDataURL() != window.before")

    def test_its_texts_are_those_of_the_trace(self):
        self.open(TEXT)
        chips = self.browser.value("[...document.querySelectorAll('[role=option]')].map((x) => x.textContent)")
        self.assertEqual("".join(chips).replace("·", " "), TEXT)
        self.assertEqual(self.text("#next th"), "·Rome")
        self.assertEqual(self.browser.value("document.querySelectorAll('#heads button').length"), 270)
        self.assertEqual(self.browser.value("document.querySelectorAll('#lens td').length"), 31 * len(chips))

    def test_hostile_texts_stay_texts(self):
        self.open(HOSTILE)
        self.assertIn("lawful trace", self.browser.value("document.title"))
        self.assertEqual(self.browser.value("document.querySelectorAll('img, b:not(.readout b)').length"), 0)
        self.assertIn("⟨U+00A0⟩", self.text("#tokens"))

    def test_it_is_used_from_the_keyboard(self):
        self.open(TEXT)
        self.browser.press("Tab")
        focused = "document.activeElement.textContent"
        self.assertEqual(self.browser.value(focused), "·is")
        self.browser.press("ArrowLeft")
        self.assertEqual(self.browser.value(focused), "·Italy")
        self.assertIn("·Italy", self.text("#next-hint"))
        self.assertIn("·Italy", self.text("#looks-title"))
        self.browser.press("Home")
        self.assertEqual(self.browser.value(focused), "The")
        self.browser.press("End", "Tab", "Enter", "Tab")
        self.assertTrue(self.browser.value("document.querySelector('details').open"))
        self.browser.press("Tab", "ArrowDown")
        self.assertIn("layer 28, after", self.text("#lens-readout"))
        self.browser.press("Tab", "ArrowDown", "ArrowRight", "ArrowRight")
        self.assertIn("Layer 28, head 2 (reads KV head 0)", self.text("#head-title"))
        self.browser.press("Tab", "ArrowUp", "ArrowUp")
        self.assertIn("·of", self.text("#looks-title"))
        self.assertEqual(self.browser.value("document.activeElement.id"), "map")

    def test_one_token_and_many(self):
        self.open("Hi", "dark")
        self.shot("one")
        self.open(" ".join(["word"] * 120))
        self.assertEqual(self.browser.value("document.querySelectorAll('[role=option]').length"), 120)
        self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), 1280)
        self.shot("many")


if __name__ == "__main__":
    run_cases()
