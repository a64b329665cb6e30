"""The most memory that a process held. Not getrusage's, which begins with what the parent held at the fork."""
import subprocess
import time


def peak_kib(process="self"):
    """By number, or of this process."""
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))


def peak_kib_of(command):
    """Runs a command to its end, looking every 5 ms. Raises RuntimeError if it fails."""
    peak = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            try:
                peak = max(peak, peak_kib(process.pid))
            except StopIteration:  # a process that has ended has no memory
                break
            time.sleep(0.005)
        said = process.communicate()[1]
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)[:300]}: exit {process.returncode}: {said.strip()[-300:]}")
    return peak
