"""The most memory that a process held."""


def peak_kib(process="self"):
    """By number, or of this process. Not getrusage's, which begins with what the parent held at the fork."""
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))
