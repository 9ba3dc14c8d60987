"""The independent witness of bench/run: builds two versions of a program,
runs them in turn with --check and compares what they print."""

import math
import subprocess
import time

# Numbers of two outputs agree within this relative error, or, near zero,
# within this absolute one. Sums of float results in another order differ by
# about 1e-6; a wrong element among the printed samples differs by far more.
RELATIVE_TOLERANCE = 1e-4
ABSOLUTE_TOLERANCE = 1e-6
PROCESS_TIMEOUT_S = 60  # a program ends in about one second
BUILD_TIMEOUT_S = 300


def split_tokens(text):
    """Lines of tokens, numbers as float; the line of --check is left out,
    since its error figure differs between two right programs."""
    rows = []
    for line in text.splitlines():
        if line.startswith("check:"):
            continue
        tokens = []
        for token in line.split():
            try:
                tokens.append(float(token))
            except ValueError:
                tokens.append(token)
        rows.append(tokens)
    return rows


def same_number(a, b):
    if math.isnan(a) or math.isnan(b):
        return False
    if math.isinf(a) or math.isinf(b):
        return a == b
    limit = max(ABSOLUTE_TOLERANCE, RELATIVE_TOLERANCE * max(abs(a), abs(b)))
    return abs(a - b) <= limit


def difference(want, got):
    """None if the outputs agree, else one phrase that says where not."""
    want, got = split_tokens(want), split_tokens(got)
    if len(want) != len(got):
        return f"{len(want)} lines expected, {len(got)} printed"
    for line, (w_row, g_row) in enumerate(zip(want, got), 1):
        if len(w_row) != len(g_row):
            return f"line {line}: another number of words"
        for w, g in zip(w_row, g_row):
            both = isinstance(w, float) and isinstance(g, float)
            if not (same_number(w, g) if both else w == g):
                return f"line {line}: {w} expected, {g} printed"
    return None


def build(nvcc, flags, source, folder, binary):
    """Compiles SOURCE; returns None or what went wrong."""
    command = [nvcc, *flags, f"-I{folder}", str(source), "-o", str(binary)]
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=BUILD_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        return "nvcc did not end in time"
    if done.returncode == 0:
        return None
    lines = [l for l in done.stdout.splitlines() if "error" in l] or [""]
    return f"nvcc failed: {lines[0]}"


def run_checked(binary):
    """Runs BINARY --check; returns (stdout, seconds, failure or None)."""
    started = time.monotonic()
    try:
        done = subprocess.run(
            [str(binary), "--check"],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=PROCESS_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        return "", PROCESS_TIMEOUT_S, "did not end in time"
    seconds = time.monotonic() - started
    if done.returncode != 0:
        reason = {3: "its own check failed"}.get(done.returncode, "")
        words = (reason or done.stderr.strip() or "no message").splitlines()
        return done.stdout, seconds, f"exit code {done.returncode}: {words[0]}"
    return done.stdout, seconds, None


def compare_runs(original, optimised, repeats):
    """Runs both in turn; returns the verdict of the witness and the times."""
    times = {"original": [], "optimised": []}
    first = None
    for _ in range(repeats):
        for label, binary in (("original", original), ("optimised", optimised)):
            text, seconds, failure = run_checked(binary)
            if failure:
                return f"FAILED: {label}: {failure}", times
            times[label].append(round(seconds, 3))
            first = text if first is None else first
            wrong = difference(first, text)
            if wrong:
                return f"FAILED: {label}: {wrong}", times
    return "ok", times
