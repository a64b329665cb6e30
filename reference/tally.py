"""Counts test cases and prints the line that ./check reads."""
import sys


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def case(self, name, holds, found=""):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {name}: {found}", flush=True)

    def attempt(self, name, function, *arguments):
        """What `function` returns; where it raises, a failed case and None."""
        try:
            return function(*arguments)
        except (RuntimeError, OSError, ValueError, KeyError) as error:
            self.case(name, False, f"{type(error).__name__}: {error}")

    def finish(self):
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(self.failed > 0 or self.passed == 0)
