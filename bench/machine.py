"""The benchmark programs, and the machine that they run on."""

import datetime
import os
import re
import shutil
import subprocess
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent


def discover():
    """Every benchmark program: bench/NAME.cu and bench/NAME/NAME.cu."""
    flat = {p.stem: p for p in BENCH.glob("*.cu")}
    nested = {d.name: d / f"{d.name}.cu" for d in BENCH.iterdir()}
    found = {n: p for n, p in {**flat, **nested}.items() if p.is_file()}
    return {n: found[n] for n in sorted(found) if not n.endswith(".opt")}


def output_of(command):
    """First line that COMMAND prints, or None if it fails."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=30, cwd=ROOT
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.strip().splitlines()
    return lines[0].strip() if done.returncode == 0 and lines else None


def find_nvcc():
    places = [shutil.which("nvcc")]
    for name in ("CUDA_PATH", "CUDA_HOME"):
        if os.environ.get(name):
            places.append(os.path.join(os.environ[name], "bin", "nvcc"))
    places.append("/usr/local/cuda/bin/nvcc")
    return next((p for p in places if p and os.path.isfile(p)), None)


def find_tool(asked):
    places = [asked] if asked else [
        ROOT / "build/release/bin/cuda-l1-opt",
        shutil.which("cuda-l1-opt"),
    ]
    found = next((p for p in places if p and os.path.isfile(p)), None)
    return found and from_root(found)


def nvcc_version(nvcc):
    try:
        text = subprocess.run(
            [nvcc, "--version"], capture_output=True, text=True, timeout=30
        ).stdout
    except (OSError, TypeError, subprocess.TimeoutExpired):
        return None
    match = re.search(r"V(\d+\.\d+\.\d+)", text)
    return match.group(1) if match else None


def count_gpus():
    """How many GPUs the driver sees; None if it cannot be asked."""
    try:
        done = subprocess.run(
            ["nvidia-smi", "-L"], capture_output=True, text=True, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = [l for l in done.stdout.splitlines() if l.startswith("GPU ")]
    return len(lines) if done.returncode == 0 and lines else None


def describe_machine(nvcc, revision):
    """GPU, driver, compiler and source revision; None where unknown."""
    query = output_of(
        ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    )
    gpu, _, driver = (query or "").partition(",")
    if revision is None:
        revision = output_of(["git", "rev-parse", "HEAD"])
        if revision and output_of(["git", "status", "--porcelain"]):
            revision += " with local changes"
    return {
        "gpu": gpu.strip() or None,
        "driver": driver.strip() or None,
        "nvcc": nvcc_version(nvcc),
        "revision": revision,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime(
            "%Y-%m-%dT%H:%M:%SZ"
        ),
    }


def from_root(path):
    """PATH relative to the project if it lies inside, so that recorded
    commands hold no path of one machine."""
    path = Path(path).resolve()
    return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)
