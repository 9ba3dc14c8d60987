"""The independent witness of bench/run: builds the versions of a program,
runs them in turn, compares what they print and times them."""

import math
import subprocess

import gpu_times

# Numbers of two outputs agree within this relative error, or, near zero,
# within this absolute one. Sums of float results in another order differ by
# about 1e-6; a wrong element among the printed samples differs by far more.
RELATIVE_TOLERANCE = 1e-4
ABSOLUTE_TOLERANCE = 1e-6
# With --use_fast_math both sides use intrinsics of about 2^-21 relative error
# and flush denormals; other roundings add up to more.
FAST_RELATIVE_TOLERANCE = 1e-3
FAST_ABSOLUTE_TOLERANCE = 1e-5
CHECK_FAILED = 3  # exit code of a program whose own --check failed
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


def same_number(a, b, fast=False):
    if math.isnan(a) or math.isnan(b):
        return False
    if math.isinf(a) or math.isinf(b):
        return a == b
    relative = FAST_RELATIVE_TOLERANCE if fast else RELATIVE_TOLERANCE
    absolute = FAST_ABSOLUTE_TOLERANCE if fast else ABSOLUTE_TOLERANCE
    return abs(a - b) <= max(absolute, relative * max(abs(a), abs(b)))


def difference(want, got, fast=False):
    """None if the outputs agree, else one phrase that says where not."""
    want, got = split_tokens(want), split_tokens(got)
    if len(want) != len(got):
        return f"{len(want)} lines expected, {len(got)} printed"
    for line, (w_row, g_row) in enumerate(zip(want, got), 1):
        if len(w_row) != len(g_row):
            return f"line {line}: another number of words"
        for w, g in zip(w_row, g_row):
            both = isinstance(w, float) and isinstance(g, float)
            if not (same_number(w, g, fast) if both else w == g):
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


def run_once(binary, check, injection, variables, fast):
    """Runs BINARY, with --check if CHECK; returns (stdout, seconds, GPU times or
    None, whether its own check held, failure or None)."""
    try:
        done, seconds, times = gpu_times.run(
            [str(binary)] + ["--check"] * check, injection, variables,
            PROCESS_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        return "", PROCESS_TIMEOUT_S, None, False, "did not end in time"
    except OSError as err:
        return "", 0, None, False, f"cannot be run: {err.strerror}"
    checked = done.returncode != CHECK_FAILED
    if done.returncode == 0 or (fast and not checked):
        return done.stdout, seconds, times, checked, None
    words = "its own check failed" if not checked else done.stderr.strip()
    first = (words or "no message").splitlines()[0]
    failure = f"exit code {done.returncode}: {first}"
    return done.stdout, seconds, times, checked, failure


def compare_runs(binaries, repeats, injection=None, variables={}, fast=False):
    """Runs all BINARIES (label to path; the first is the reference) in turn,
    with --check the first time.
    Returns label to {check, process_seconds, gpu}, where gpu is the list of GPU
    times. A version that fails is run no more; the others go on.

    FAST is for versions built with --use_fast_math: outputs are compared more
    loosely, and a version may fail its own check if the reference does too."""
    result = {
        label: {"check": "ok", "process_seconds": [], "gpu": []}
        for label in binaries
    }
    reference = next(iter(binaries))
    text_of_first = first_checked = None
    for repeat in range(repeats):
        for label, binary in binaries.items():
            mine = result[label]
            if mine["check"] != "ok":
                continue
            text, seconds, times, checked, failure = run_once(
                binary, repeat == 0, injection, variables, fast
            )
            if text_of_first is None:
                text_of_first, first_checked = text, checked
            if not failure and first_checked and not checked:
                failure = f"exit code {CHECK_FAILED}: its own check failed"
            failure = failure or difference(text_of_first, text, fast)
            if failure:
                mine["check"] = f"FAILED: {label}: {failure}"
                if label == reference:  # nothing is left to compare with
                    for other in result.values():
                        other["check"] = mine["check"]
                    return result
                continue
            mine["process_seconds"].append(round(seconds, 3))
            if repeat > 0 or repeats == 1:  # a check may use the GPU, too
                mine["gpu"].append(times)
    return result
