"""The lit suites: what cuda-l1-opt prints and rewrites."""

import os
import shutil
import subprocess

import lit.formats

config.name = "cuda-l1-opt"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cu", ".cpp", ".test", ".cuh"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.cudal1_obj, "test")

path = [config.cudal1_bin, config.llvm_tools, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)

# No user setting may change a test's result.
for name in ("CUDA_PATH", "CUDA_HOME", "HOME", "XDG_CACHE_HOME", "CUDA_L1_CACHE_DIR"):
    config.environment.pop(name, None)

fake = os.path.join(config.test_source_root, "Inputs", "fake-cuda")
# Flags (after --) to parse against the tiny fake CUDA header: no toolkit.
config.substitutions.append(
    ("%fake_cuda", "-nocudainc -nocudalib -isystem " + fake + " -include cuda.h")
)
config.substitutions.append(("%cuda_l1_opt", "cuda-l1-opt"))

# Tests that compile their output with the real compiler. The nvcc on PATH may
# be a wrapper script that stands in no toolkit.
nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
beside_nvcc = os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
toolkits = [
    folder
    for folder in (beside_nvcc, "/usr/local/cuda")
    if os.path.isfile(os.path.join(folder, "include", "cuda.h"))
]
if toolkits and os.access(nvcc, os.X_OK):
    config.available_features.add("nvcc")
    config.substitutions.append(("%nvcc", nvcc + " -arch=sm_90"))
    config.substitutions.append(("%cuda_path", toolkits[0]))

# Tests that run programs in the emulator: with a small header in place of the
# toolkit's, so that each takes a fraction of a second.
runtime = os.path.join(config.cudal1_obj, "lib", "libcudal1_emulator.a")
fuzz = os.path.join(config.cudal1_bin, "cudal1-rewrite-fuzz")
if os.path.exists(runtime) and os.path.exists(fuzz) and shutil.which("c++"):
    config.available_features.add("emulator")
runnable = os.path.join(config.test_source_root, "Inputs", "runnable-cuda")
runnable = "-nocudainc -nocudalib -isystem " + runnable + " -include cuda.h"
config.substitutions.append(("%runnable_cuda", runnable))
config.substitutions.append(("%emulate", "cuda-l1-emu --flags='" + runnable + "'"))

# Host code with OpenMP, if LLVM's runtime for it is there.
if "emulator" in config.available_features:
    for name in ("libomp.so", "libomp.so.5"):
        answer = subprocess.check_output(["c++", "-print-file-name=" + name], text=True)
        if os.path.isabs(answer.strip()):
            config.available_features.add("libomp")

# Tests that measure, on a GPU that is the CPU.
fake_gpu = os.path.join(config.cudal1_obj, "unittests", "fake-gpu")
if toolkits and os.path.exists(os.path.join(fake_gpu, "libcuda.so.1")):
    config.available_features.add("fake-gpu")
    config.substitutions.append(("%fake_gpu", fake_gpu))
    if "nvcc" not in config.available_features:
        config.substitutions.append(("%cuda_path", toolkits[0]))

# The compatibility header and its fallback folder, as Clang is given them.
compat = os.path.join(config.cudal1_source, "lib", "Frontend", "Compat")
config.substitutions.append(("%compat", compat))
