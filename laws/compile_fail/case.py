"""One case: a file with a wrong line beside the right one, and the sentence that the wrong one has to draw.

    // What the fault is.
    // expect: Expected<…>, Observed<…>        M stands for the model
    // models: smollm2_135m, smollm2_1_7b      optional; the first of MODELS without it
    #ifdef WRONG
      …
    #else
      …
    #endif
"""
import dataclasses
import pathlib
import re

MODELS = ("smollm2_1_7b", "smollm2_360m", "smollm2_135m", "tiny")
SIDES = re.compile(r"^#ifdef WRONG\n(?P<wrong>.*?)^#else\n(?P<right>.*?)^#endif$", re.M | re.S)


class Malformed(Exception):
    """A case that would prove nothing; the message says why."""


@dataclasses.dataclass
class Case:
    path: pathlib.Path
    title: str
    expect: str
    models: tuple
    wrong: str
    right: str

    @property
    def name(self):
        return self.path.stem

    def sentence(self, model):
        """The expected sentence for one model."""
        return re.sub(r"\bM\b", model, self.expect)


def field(text, name):
    found = re.findall(rf"^// {name}: *(.*?) *$", text, re.M)
    if len(found) > 1:
        raise Malformed(f"expected one line `// {name}:`, found {len(found)}")
    return found[0] if found else ""


def read(path):
    """Throws Malformed where the case lacks its control, its sentence, or a difference between the two sides."""
    text = path.read_text(encoding="utf-8")
    title = re.match(r"// (?!expect:|models:)(.+)\n", text)
    if title is None:
        raise Malformed("expected a first line that says what the fault is, found none")
    expect = field(text, "expect")
    if not expect:
        raise Malformed("expected a line `// expect: SENTENCE`, found none")
    sides = SIDES.findall(text)
    if len(sides) != 1 or text.count("WRONG") != 1:
        raise Malformed("expected one `#ifdef WRONG … #else … #endif`, found another number")
    wrong, right = (side.strip() for side in sides[0])
    if not wrong or not right:
        raise Malformed("expected a wrong and a right line, found an empty side")
    if wrong == right:
        raise Malformed("expected two different sides, found the same line twice")
    models = tuple(re.split(r", *", field(text, "models"))) if field(text, "models") else MODELS[:1]
    for model in models:
        if model not in MODELS:
            raise Malformed(f"expected models of {', '.join(MODELS)}, found {model}")
    return Case(path, title[1], expect, models, wrong, right)


def read_folder(folder):
    """All cases of a folder, and for each file that is none the reason."""
    cases, malformed = [], []
    for path in sorted(folder.iterdir()):
        try:
            if path.suffix != ".cpp":
                raise Malformed("expected only case files NAME.cpp in this folder, found another")
            cases.append(read(path))
        except Malformed as error:
            malformed.append((path.name, str(error)))
    if not cases:
        malformed.append((folder.name, "expected cases, found none"))
    return cases, malformed
