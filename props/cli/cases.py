"""Test cases with a scratch folder, and a run of them that ends with the line `N passed, N failed`."""
import pathlib
import sys
import tempfile
import unittest


class Case(unittest.TestCase):
    """A test case with a folder that lasts as long as one test."""
    longMessage = True

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="lawful-test-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)


class _Result(unittest.TextTestResult):
    """A test some of whose subtests failed counts once; a skipped one counts as failed."""

    def failed_tests(self):
        blamed = {getattr(test, "test_case", test).id() for test, _ in self.failures + self.errors + self.skipped}
        return len(blamed) + len(self.unexpectedSuccesses)


def run_cases():
    """Runs the calling script's cases, or those named on its command line (CLASS or CLASS.test), and exits."""
    loader, script = unittest.defaultTestLoader, sys.modules["__main__"]
    suite = loader.loadTestsFromNames(sys.argv[1:], script) if sys.argv[1:] else loader.loadTestsFromModule(script)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=_Result).run(suite)
    failed = result.failed_tests()
    print(f"{max(result.testsRun - failed, 0)} passed, {failed} failed")
    sys.exit(0 if failed == 0 and result.testsRun > 0 else 1)
