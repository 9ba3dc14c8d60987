"""GPU times of one run of a program, by the optimiser's own injection library
(runtime/README.md): the same quantities as the tool's report, for any binary.

A run whose times are not complete has none: they are never guessed."""

import os
import statistics
import struct
import subprocess
import tempfile
import time
from pathlib import Path

# include/cudal1/Measure/TraceFormat.h
MAGIC, VERSION = b"CUDAL1TR", 1
HEADER = struct.Struct("<8sIIqQ")  # magic, version, mode, pid, start
PREFIX = struct.Struct("<BQ")  # kind, bytes of payload
KERNEL = struct.Struct("<IQQ")  # name, start, end; the stream follows
TRANSFER = struct.Struct("<BQQ")  # kind, start, end; the bytes follow
END = struct.Struct("<QQQQQQ")  # the last is the number of lost records
CALL = struct.Struct("<QQ")  # start, end
KERNEL_ACTIVITY, TRANSFER_ACTIVITY, END_RECORD, RESOURCE_CALL = 9, 10, 11, 12
MEMSET = 4


def find_injection(tool, nvcc):
    """The variables that load the library which lies beside TOOL; None if it
    does not."""
    if tool is None:
        return None
    library = Path(tool).resolve().parent.parent / "lib/libcudal1_injection.so"
    if not library.is_file():
        return None
    variables = {"CUDA_INJECTION64_PATH": str(library), "CUDAL1_MODE": "time"}
    toolkit = Path(nvcc).resolve().parent.parent if nvcc else Path("/none")
    for folder in ("extras/CUPTI/lib64", "lib64"):
        cupti = toolkit / folder / "libcupti.so"
        if cupti.exists():
            variables["CUDAL1_CUPTI"] = str(cupti)
            break
    return variables


def read_trace(data):
    """(kernels, copies, calls that make or release memory and the like) as
    lists of (start, end) in nanoseconds, memsets among the kernels; None if
    DATA is no complete trace."""
    if len(data) < HEADER.size:
        return None
    magic, version = HEADER.unpack_from(data)[:2]
    if magic != MAGIC or version != VERSION:
        return None
    kernels, copies, calls, complete, at = [], [], [], False, HEADER.size
    while at + PREFIX.size <= len(data):
        kind, size = PREFIX.unpack_from(data, at)
        at += PREFIX.size
        if at + size > len(data):
            return None
        if kind == KERNEL_ACTIVITY:
            kernels.append(KERNEL.unpack_from(data, at)[1:3])
        elif kind == TRANSFER_ACTIVITY:
            what, start, end = TRANSFER.unpack_from(data, at)
            (kernels if what == MEMSET else copies).append((start, end))
        elif kind == RESOURCE_CALL:
            calls.append(CALL.unpack_from(data, at))
        elif kind == END_RECORD:
            complete = END.unpack_from(data, at)[-1] == 0
        at += size
    return (kernels, copies, calls) if complete else None


def covered_ms(intervals):
    """Milliseconds that lie in at least one of INTERVALS."""
    total = last = 0
    for start, end in sorted(intervals):
        start = max(start, last)
        total += max(0, end - start)
        last = max(last, end)
    return total * 1e-6


def times_of(traces):
    """gpu_ms and gpu_span_ms as the report has them; None if a trace is not
    complete or no kernel ran."""
    kernels, copies, calls = [], [], []
    for trace in traces:
        if trace is None:
            return None
        for all_of_kind, mine in zip((kernels, copies, calls), trace):
            all_of_kind += mine
    if not kernels:
        return None
    both = kernels + copies
    first, last = min(start for start, _ in both), max(end for _, end in both)
    span = last - first
    for start, end in calls:  # what lies outside counts, too
        span += end - start - max(0, min(last, end) - max(first, start))
    return {"gpu_ms": covered_ms(kernels), "gpu_span_ms": span * 1e-6}


def run(command, injection, variables, timeout):
    """Runs COMMAND; returns (CompletedProcess, seconds, times or None). Raises
    what subprocess.run raises."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, **variables}
        if injection:
            environment |= {**injection, "CUDAL1_TRACE_DIR": folder}
        started = time.monotonic()
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            env=environment,
            timeout=timeout,
        )
        seconds = time.monotonic() - started
        traces = [read_trace(p.read_bytes()) for p in Path(folder).iterdir()]
    return done, seconds, times_of(traces)


def median_times(runs):
    """The medians over RUNS, each as times_of gives it; None if one is None."""
    if not runs or any(times is None for times in runs):
        return None
    return {key: statistics.median(t[key] for t in runs) for key in runs[0]}
