#!/usr/bin/env python3
"""Tests of bench/run that need neither a GPU nor the optimiser: a stand-in
tool writes known reports into a temporary folder.

    python3 bench/test_run.py
"""

import argparse
import importlib.machinery
import importlib.util
import io
import json
import os
import stat
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

import gpu_times  # noqa: E402
import results  # noqa: E402
import witness  # noqa: E402
import work  # noqa: E402

loader = importlib.machinery.SourceFileLoader("bench_run", str(HERE / "run"))
spec = importlib.util.spec_from_loader("bench_run", loader)
bench_run = importlib.util.module_from_spec(spec)
loader.exec_module(bench_run)

FULL_UNIT = {
    "file": "bench/matmul.cu",
    "verdict": "faster",
    "original": {"gpu_ms": 1.4, "gpu_span_ms": 9.0, "wall_ms": 400.0},
    "best": {"gpu_ms": 0.35, "gpu_span_ms": 3.0, "wall_ms": 399.0},
    "speedup": 3.1,
    "ci_low": 3.05,
    "ci_high": 3.15,
    "rewrites": [
        {"rule": "unroll-loop", "kernel": "k", "line": 1, "params": {}},
        {"rule": "scalar-replacement", "kernel": "k", "line": 1, "params": {}},
        {"rule": "unroll-loop", "kernel": "k", "line": 9, "params": {}},
    ],
    "variants_tried": 12,
}

# A stand-in for cuda-l1-opt: copies the input and writes REPORT.
STAND_IN = """#!/usr/bin/env python3
import os, shutil, sys
options = sys.argv[1:]
shutil.copy(options[0], options[options.index("-o") + 1])
report = [o for o in options if o.startswith("--report=")][0][9:]
if os.environ.get("STAND_IN_REPORT"):
    open(report, "w").write(os.environ["STAND_IN_REPORT"])
else:
    print("cuda-l1-opt: error: nothing works today")
    sys.exit(1)
"""


class ReadReport(unittest.TestCase):
    def test_a_full_report_becomes_one_row(self):
        report = {"engine": "program", "units": [FULL_UNIT]}
        row = results.read_report(report, Path("bench/matmul.cu"))
        self.assertEqual(row["original_gpu_ms"], 1.4)
        self.assertEqual(row["verdict"], "faster")
        self.assertEqual(results.speedup_text(row), "3.10x [3.05, 3.15]")
        self.assertEqual(
            results.rewrites_text(row["rewrites"]),
            "unroll-loop (2 times), scalar-replacement",
        )

    def test_missing_fields_are_shown_as_a_dash(self):
        row = results.read_report({"units": [{}]}, Path("x.cu"))
        row["program"] = "x"
        cells = results.table([row])[1]
        self.assertEqual(cells, ["x", "-", "→"] + ["-"] * 7)

    def test_null_nan_and_text_are_not_taken_for_numbers(self):
        for value in (None, float("nan"), "3.1", True, float("inf")):
            unit = {**FULL_UNIT, "speedup": value}
            row = results.read_report({"units": [unit]}, Path("matmul.cu"))
            self.assertEqual(results.speedup_text(row), "-")

    def test_the_unit_of_the_program_is_chosen_among_several(self):
        other = {"file": "kernel.cuh", "verdict": "same"}
        row = results.read_report(
            {"units": [other, FULL_UNIT]}, Path("somewhere/matmul.cu")
        )
        self.assertEqual(row["verdict"], "faster")


class Programs(unittest.TestCase):
    def test_the_readme_lists_each_program_once(self):
        lines = (HERE / "README.md").read_text().splitlines()
        listed = [line.split("`")[1] for line in lines if line.startswith("| `")]
        self.assertEqual(sorted(listed), sorted(bench_run.discover()))

    def test_each_program_takes_a_size_and_can_check_itself(self):
        for name, path in bench_run.discover().items():
            text = path.read_text()
            for needed in ("[SIZE, 1 to %d] [--check]", "check: max relative error"):
                self.assertIn(needed, text, name)


    def test_each_expert_is_a_program_with_the_same_input_and_output(self):
        programs = bench_run.discover()
        experts = sorted((HERE / "expert").glob("*.cu"))
        self.assertGreaterEqual(len(experts), 10)

        def spoken(path):
            text = path.read_text()
            # What it prints, whatever the names and the line breaks.
            printed = [line.strip() for line in text.splitlines()
                       if "printf(" in line or "printResult(" in line]
            generator = text[text.index("struct Lcg"):]
            return len(printed), generator[:generator.index("parseArgs")]

        for expert in experts:
            self.assertIn(expert.stem, programs)
            self.assertEqual(spoken(expert), spoken(programs[expert.stem]))


class ProgramRatio(unittest.TestCase):
    def row(self, **changes):
        report = {"units": [{**FULL_UNIT, **changes}]}
        return results.read_report(report, Path("matmul.cu"))

    def test_it_is_of_all_kernels_and_not_of_the_rewritten_ones(self):
        self.assertEqual(results.program_ratio(self.row()), (4.0, "gpu", None))

    def test_an_unchanged_program_counts_as_one(self):
        row = self.row(verdict="nothing-better", best={})
        self.assertEqual(results.program_ratio(row)[0], 1.0)

    def test_with_host_code_rewritten_it_is_of_the_span(self):
        row = self.row(rewrites=[{"rule": "fuse-launches", "kernel": ""}])
        self.assertEqual(results.program_ratio(row), (3.0, "span", None))
        self.assertEqual(results.ratio_text(row), "3.00x (span)")

    def test_what_failed_or_was_not_timed_has_no_ratio_but_a_reason(self):
        for row, words in (
            ({**self.row(), "error": "no report"}, "no report"),
            ({**self.row(), "check": "FAILED: optimised: x"}, "FAILED"),
            (self.row(verdict="not-timed"), "not-timed"),
            (self.row(best={}), "no gpu time"),
        ):
            ratio, _, why = results.program_ratio(row)
            self.assertIsNone(ratio)
            self.assertIn(words, why)

    def test_the_mean_is_over_all_that_have_one_and_names_the_others(self):
        rows = [
            {"program": "a", **self.row()},
            {"program": "b", **self.row(verdict="nothing-better")},
            {"program": "c", **self.row(verdict="not-run")},
        ]
        mean, count = results.mean_ratio(rows)
        self.assertAlmostEqual(mean, 2.0)
        self.assertEqual(count, 2)
        text = "\n".join(results.summary_lines(rows))
        self.assertIn("2.000x over 2 of 3 programs", text)
        self.assertIn("not counted: c: verdict not-run", text)

    def test_without_any_ratio_there_is_no_mean(self):
        self.assertEqual(results.mean_ratio([{}]), (None, 0))


def trace(kernels, memsets=(), copies=(), calls=(), lost=0, end=True):
    """A trace file with these (start, end) in nanoseconds."""
    data = gpu_times.HEADER.pack(b"CUDAL1TR", 1, 1, 7, 0)

    def record(kind, payload):
        return gpu_times.PREFIX.pack(kind, len(payload)) + payload

    for interval in kernels:
        payload = gpu_times.KERNEL.pack(0, *interval) + b"\0\0\0\0"
        data += record(gpu_times.KERNEL_ACTIVITY, payload)
    for kind, group in ((gpu_times.MEMSET, memsets), (0, copies)):
        for interval in group:
            payload = gpu_times.TRANSFER.pack(kind, *interval) + b"\0" * 8
            data += record(gpu_times.TRANSFER_ACTIVITY, payload)
    for interval in calls:
        data += record(gpu_times.RESOURCE_CALL, gpu_times.CALL.pack(*interval))
    if end:
        payload = gpu_times.END.pack(0, 0, 0, 0, 0, lost)
        data += record(gpu_times.END_RECORD, payload)
    return data


class GpuTimes(unittest.TestCase):
    def test_kernels_that_overlap_count_once_and_memsets_count(self):
        data = trace([(0, 2_000_000), (1_000_000, 3_000_000)],
                     memsets=[(5_000_000, 6_000_000)],
                     copies=[(8_000_000, 9_000_000)])
        times = gpu_times.times_of([gpu_times.read_trace(data)])
        self.assertAlmostEqual(times["gpu_ms"], 4.0)
        self.assertAlmostEqual(times["gpu_span_ms"], 9.0)

    def test_calls_outside_of_the_work_add_to_the_span(self):
        data = trace([(2_000_000, 5_000_000)],
                     calls=[(0, 1_000_000), (1_000_000, 3_000_000),
                            (3_000_000, 4_000_000), (7_000_000, 9_000_000)])
        times = gpu_times.times_of([gpu_times.read_trace(data)])
        self.assertAlmostEqual(times["gpu_ms"], 3.0)
        self.assertAlmostEqual(times["gpu_span_ms"], 3.0 + 1 + 1 + 0 + 2)

    def test_an_incomplete_trace_has_no_times(self):
        for data in (trace([(0, 5)], end=False), trace([(0, 5)], lost=1),
                     trace([(0, 5)])[:-3], b"", b"x" * 100):
            self.assertIsNone(gpu_times.times_of([gpu_times.read_trace(data)]))

    def test_a_program_without_kernels_has_no_times(self):
        self.assertIsNone(gpu_times.times_of([]))

    def test_a_run_without_times_leaves_no_median(self):
        self.assertIsNone(gpu_times.median_times([{"gpu_ms": 1.0}, None]))
        runs = [{"gpu_ms": value} for value in (3.0, 1.0, 2.0)]
        self.assertEqual(gpu_times.median_times(runs), {"gpu_ms": 2.0})


# Round figures, 1e9 a second.
PEAKS = {"fp32": 30000, "fp64": 15000, "half": 60000, "int_add": 15000,
         "int_mul": 15000, "transcendental": 4000, "fp64_matrix": 30000,
         "half_matrix": 300000,
         "read_4MB": 8000, "copy_4MB": 6000, "read_64MB": 4000, "device": "x"}


class Roofline(unittest.TestCase):
    def test_each_program_has_its_work_declared(self):
        self.assertEqual(sorted(work.programs()), sorted(bench_run.discover()))
        for name, phases in work.programs().items():
            ms, bound = work.least_ms(phases, PEAKS)
            self.assertTrue(1e-4 < ms < 10, f"{name}: {ms}")
            self.assertTrue(bound == "memory" or bound in PEAKS or bound == "int")

    def test_bandwidth_is_that_of_the_next_smaller_working_set(self):
        for size, want in ((1, 8e12), (4, 8e12), (63, 8e12), (64, 4e12), (999, 4e12)):
            self.assertEqual(work.bandwidth(PEAKS, size * work.MB), want)

    def test_the_slower_of_memory_and_operations_counts(self):
        phases = [work.Phase(2, 8e9, fp32=3e9)]  # 2 ms or 0.1 ms, twice
        self.assertEqual(work.least_ms(phases, PEAKS), (4.0, "memory"))
        phases = [work.Phase(1, 8e9, transcendental=1e12)]
        self.assertEqual(work.least_ms(phases, PEAKS)[1], "transcendental")

    def test_a_peak_that_was_not_measured_leaves_no_roofline(self):
        row = {"program": "matmul", "verdict": "nothing-better",
               "original_gpu_ms": 5.0}
        self.assertAlmostEqual(work.roofline(row, PEAKS)["share"],
                               5 * 1024**3 / 30e12 * 1e3 / 5.0)
        for peaks in (None, {}, {"fp32": 1}, {"read_4MB": 1}):
            self.assertIsNone(work.roofline(row, peaks))


class CompareOutputs(unittest.TestCase):
    def test_rounding_differences_are_accepted(self):
        self.assertIsNone(
            witness.difference("sum 1.000000e+06\n", "sum 1.000010e+06\n")
        )

    def test_the_line_of_the_own_check_is_ignored(self):
        self.assertIsNone(
            witness.difference("a 1\ncheck: 1e-7\n", "a 1\ncheck: 2e-7\n")
        )

    def test_differences_are_found(self):
        for other in ("sum 1.01 2\n", "sum nan 2\n", "sum 1 inf\n", "sum 1\n",
                      "Sum 1 2\n", "sum 1 2\nsum 1 2\n", "", "sum one 2\n"):
            self.assertIsNotNone(witness.difference("sum 1 2\n", other), other)

    def test_nan_is_not_equal_to_nan(self):
        self.assertIsNotNone(witness.difference("a nan\n", "a nan\n"))


class CompareRuns(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def script(self, name, text):
        path = Path(self.folder.name) / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def test_equal_programs_pass_and_are_run_in_turn(self):
        a, b = self.script("a", "echo x 1.0"), self.script("b", "echo x 1.0")
        result = witness.compare_runs({"original": a, "optimised": b}, 3)
        for label in ("original", "optimised"):
            self.assertEqual(result[label]["check"], "ok")
            self.assertEqual(len(result[label]["process_seconds"]), 3)

    def test_wrong_result_crash_and_failed_check_are_named(self):
        good = self.script("good", "echo x 1.0")
        for text, words in (
            ("echo x 2.0", "FAILED: optimised: line 1: 1.0 expected"),
            ("echo oops >&2; exit 1", "FAILED: optimised: exit code 1: oops"),
            ("exit 3", "exit code 3: its own check failed"),
        ):
            bad = self.script("bad", text)
            result = witness.compare_runs({"original": good, "optimised": bad}, 2)
            self.assertIn(words, result["optimised"]["check"])

    def test_a_wrong_expert_leaves_the_result_right(self):
        good, bad = self.script("a", "echo x 1.0"), self.script("b", "echo x 9")
        result = witness.compare_runs(
            {"original": good, "optimised": good, "expert": bad}, 2
        )
        self.assertEqual(result["optimised"]["check"], "ok")
        self.assertIn("FAILED: expert", result["expert"]["check"])

    def test_if_the_original_fails_nothing_passes(self):
        good, bad = self.script("a", "echo x 1.0"), self.script("b", "exit 1")
        result = witness.compare_runs({"original": bad, "optimised": good}, 2)
        self.assertIn("FAILED: original", result["optimised"]["check"])

    def test_fast_maths_forgives_what_it_does_to_the_original_too(self):
        a = self.script("a", "echo x 1.0; exit 3")
        b = self.script("b", "echo x 1.0005; exit 3")
        both = {"original": a, "optimised": b}
        result = witness.compare_runs(both, 2, fast=True)
        self.assertEqual(result["optimised"]["check"], "ok")
        result = witness.compare_runs(both, 2)
        self.assertIn("own check failed", result["original"]["check"])
        good = self.script("c", "echo x 1.0")
        both = {"original": good, "optimised": b}
        result = witness.compare_runs(both, 2, fast=True)
        self.assertIn("own check failed", result["optimised"]["check"])

    def test_both_sides_with_fast_maths_are_compared_with_each_other(self):
        options = argparse.Namespace(repeats=4, injection=None)
        a = self.script("a", "echo x 1.0; exit 3")
        b = self.script("b", "echo x 1.0005; exit 3")
        row = {"host_rewritten": False}
        both = {"original_fast": a, "optimised_fast": b}
        bench_run.compare_fast(row, both, options, {})
        self.assertEqual(row["fast_math"]["check"], "ok")
        self.assertNotIn("fast_math_ratio", row)  # no times without a GPU
        self.assertFalse(results.failed(row))
        both["optimised_fast"] = self.script("c", "echo x 2.0")
        bench_run.compare_fast(row, both, options, {})
        self.assertIn("FAILED: optimised_fast", row["fast_math"]["check"])
        self.assertEqual(results.fast_math_text(row), "FAILED")
        self.assertTrue(results.failed(row))

    def test_the_ratio_with_fast_maths_is_of_the_medians(self):
        options = argparse.Namespace(repeats=2, injection=None)
        row = {"host_rewritten": False}
        times = {"gpu_ms": 3.0, "gpu_span_ms": 5.0}
        faster = {"gpu_ms": 1.5, "gpu_span_ms": 4.0}
        found = {"original_fast": {"check": "ok", "gpu": [times]},
                 "optimised_fast": {"check": "ok", "gpu": [faster]}}
        with mock.patch.object(bench_run, "compare_runs", return_value=found):
            bench_run.compare_fast(row, {}, options, {})
        self.assertEqual(row["fast_math_ratio"], 2.0)
        self.assertEqual(results.fast_math_text(row), "2.00x")


class WholeRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.tool = self.folder / "cuda-l1-opt"
        self.tool.write_text(STAND_IN)
        self.tool.chmod(0o755)

    def run_bench(self, *arguments, report=None):
        os.environ["STAND_IN_REPORT"] = report or ""
        self.addCleanup(os.environ.pop, "STAND_IN_REPORT", None)
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = bench_run.main([
                f"--tool={self.tool}", f"--out={self.folder / 'out'}",
                f"--json={self.folder / 'all.json'}", "--no-check", *arguments,
            ])
        return code, out.getvalue()

    def test_a_report_reaches_table_and_json(self):
        report = json.dumps({"engine": "program", "units": [FULL_UNIT]})
        code, text = self.run_bench("matmul", "--", "--seed=7", report=report)
        self.assertEqual(code, 0, text)
        self.assertIn("4.00x  3.10x [3.05, 3.15]", text)
        saved = json.loads((self.folder / "all.json").read_text())
        self.assertEqual(saved["rows"][0]["report"]["units"], [FULL_UNIT])
        self.assertIn("--seed=7", saved["rows"][0]["command"])

    def test_recorded_files_print_the_same_rows(self):
        report = json.dumps({"engine": "program", "units": [FULL_UNIT]})
        self.run_bench("matmul", report=report)
        code, text = self.run_bench(
            "--markdown", "--from", str(self.folder / "all.json")
        )
        self.assertEqual(code, 0)
        self.assertIn("| matmul | 1.400 | 0.350 | 4.00x | 3.10x [3.05, 3.15] |", text)

    def test_a_tool_that_fails_is_reported_and_gives_no_numbers(self):
        code, text = self.run_bench("matmul")
        self.assertEqual(code, 1)
        self.assertIn("nothing works today", text)
        self.assertIn("0 of 1 programs", text)
        self.assertIn("not counted: matmul", text)

    def test_a_report_of_another_layout_is_an_error(self):
        code, text = self.run_bench("matmul", report='{"units": 5}')
        self.assertEqual(code, 1)
        self.assertIn("unknown layout", text)

    def test_fast_maths_reaches_the_compiler_of_both(self):
        report = json.dumps({"engine": "program", "units": [FULL_UNIT]})
        self.run_bench("--fast-math", "matmul", "--", "--seed=7", report=report)
        saved = json.loads((self.folder / "all.json").read_text())
        self.assertIn("--seed=7 -- -O3 -std=c++17 --use_fast_math",
                      saved["rows"][0]["command"])
        self.assertIn("--use_fast_math", saved["flags"])

    def test_several_gpus_share_the_programs_in_one_table(self):
        report = json.dumps({"engine": "program", "units": [FULL_UNIT]})
        names = ["nbody", "matmul", "matvec", "transpose", "reduction"]
        code, text = self.run_bench("--gpus=2", *names, report=report)
        self.assertEqual(code, 0, text)
        saved = json.loads((self.folder / "all.json").read_text())
        self.assertEqual([r["program"] for r in saved["rows"]], names)
        self.assertLessEqual({r["gpu_index"] for r in saved["rows"]}, {"0", "1"})

    def test_there_are_no_more_workers_than_gpus(self):
        self.addCleanup(setattr, bench_run, "count_gpus", bench_run.count_gpus)
        bench_run.count_gpus = lambda: 2
        with redirect_stderr(io.StringIO()):
            self.assertEqual(bench_run.visible_gpus(4), ["0", "1"])
        self.assertEqual(bench_run.visible_gpus(1), [None])

    def test_a_worker_that_fails_leaves_the_other_programs(self):
        report = json.dumps({"engine": "program", "units": [FULL_UNIT]})
        self.addCleanup(setattr, bench_run, "read_report", bench_run.read_report)
        real = bench_run.read_report

        def fails_once(content, source):
            if source.stem == "matmul" and content:
                raise RuntimeError("a fault of bench/run")
            return real(content, source)

        bench_run.read_report = fails_once
        code, text = self.run_bench("matmul", "nbody", report=report)
        self.assertEqual(code, 1)
        self.assertIn("not counted: matmul: bench/run: RuntimeError", text)
        self.assertIn("over 1 of 2 programs", text)

    def test_what_the_time_does_not_reach_is_named(self):
        report = json.dumps({"engine": "program", "units": [FULL_UNIT]})
        code, text = self.run_bench("--within=1s", "matmul", report=report)
        self.assertEqual(code, 1)
        self.assertIn("not counted: matmul: not reached", text)


# A stand-in for nvcc: its programs print the same and "run" as long as the
# source says after "// kernel ms:".
STAND_IN_NVCC = """#!/usr/bin/env python3
import re, sys
options = sys.argv[1:]
source = [o for o in options if o.endswith(".cu")][0]
times = re.findall(r"// kernel ms: (\\d+)", open(source).read()) or ["8"]
binary = options[options.index("-o") + 1]
open(binary, "w").write(
    f"#!/usr/bin/env python3\\nimport os, sys\\nsys.path.insert(0, {HERE!r})\\n"
    "import test_run\\nprint('x 1.0')\\n"
    f"data = test_run.trace([(0, {times[-1]} * 1000000)])\\n"
    "open(os.environ['CUDAL1_TRACE_DIR'] + '/1.cl1trace', 'wb').write(data)\\n")
import os
os.chmod(binary, 0o755)
"""


class Experts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_an_expert_is_timed_beside_the_result(self):
        tool_root = self.folder / "tool"
        (tool_root / "bin").mkdir(parents=True)
        (tool_root / "lib").mkdir()
        (tool_root / "lib/libcudal1_injection.so").touch()
        self.tool = tool_root / "bin/cuda-l1-opt"
        self.tool.write_text(STAND_IN.replace(
            "report = [", "open(options[options.index('-o') + 1], 'a')"
            ".write('// kernel ms: 4')\nreport = ["
        ))
        self.tool.chmod(0o755)
        nvcc = self.folder / "nvcc"
        nvcc.write_text(STAND_IN_NVCC.replace("HERE", repr(str(HERE))))
        nvcc.chmod(0o755)
        bench = self.folder / "bench"
        (bench / "expert").mkdir(parents=True)
        (bench / "expert/matmul.cu").write_text("// kernel ms: 3")
        (bench / "matmul.cu").write_text("// kernel ms: 8\n")
        for module in (bench_run, bench_run.machine):
            self.addCleanup(setattr, module, "BENCH", module.BENCH)
            module.BENCH = bench
        self.addCleanup(setattr, bench_run, "describe_machine",
                        bench_run.describe_machine)
        bench_run.describe_machine = lambda nvcc, revision: {"gpu": "pretended"}
        os.environ["STAND_IN_REPORT"] = json.dumps({"units": [FULL_UNIT]})
        self.addCleanup(os.environ.pop, "STAND_IN_REPORT", None)
        out = io.StringIO()
        with redirect_stdout(out), redirect_stderr(io.StringIO()):
            code = bench_run.main([
                f"--tool={self.tool}", f"--out={self.folder / 'out'}", "--expert",
                f"--nvcc={nvcc}", f"--json={self.folder / 'all.json'}", "matmul",
            ])
        self.assertEqual(code, 0, out.getvalue())
        row = json.loads((self.folder / "all.json").read_text())["rows"][0]
        self.assertEqual(row["check"], "ok")
        self.assertAlmostEqual(row["expert_share"], 0.75)
        self.assertAlmostEqual(row["witness_ratio"], 2.0)
        self.assertIn("75 %", out.getvalue())


if __name__ == "__main__":
    unittest.main()
