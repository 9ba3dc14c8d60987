#!/usr/bin/env python3
"""Tests of bench/run that need neither a GPU nor the optimiser: a stand-in
tool writes known reports into a temporary folder.

    python3 bench/test_run.py
"""

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

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

import witness  # noqa: E402

loader = importlib.machinery.SourceFileLoader("bench_run", str(HERE / "run"))
spec = importlib.util.spec_from_loader("bench_run", loader)
bench_run = importlib.util.module_from_spec(spec)
loader.exec_module(bench_run)

FULL_UNIT = {
    "file": "bench/matmul.cu",
    "verdict": "faster",
    "original": {"gpu_ms": 1.086, "wall_ms": 400.0},
    "best": {"gpu_ms": 0.35, "wall_ms": 399.0},
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
        row = bench_run.read_report(report, Path("bench/matmul.cu"))
        self.assertEqual(row["original_gpu_ms"], 1.086)
        self.assertEqual(row["verdict"], "faster")
        self.assertEqual(bench_run.speedup_text(row), "3.10x [3.05, 3.15]")
        self.assertEqual(
            bench_run.rewrites_text(row["rewrites"]),
            "unroll-loop (2 times), scalar-replacement",
        )

    def test_missing_fields_are_shown_as_a_dash(self):
        row = bench_run.read_report({"units": [{}]}, Path("x.cu"))
        row["program"] = "x"
        cells = bench_run.table([row])[1]
        self.assertEqual(cells, ["x", "-", "→"] + ["-"] * 6)

    def test_null_nan_and_text_are_not_taken_for_numbers(self):
        for value in (None, float("nan"), "3.1", True, float("inf")):
            unit = {**FULL_UNIT, "speedup": value}
            row = bench_run.read_report({"units": [unit]}, Path("matmul.cu"))
            self.assertEqual(bench_run.speedup_text(row), "-")

    def test_the_unit_of_the_program_is_chosen_among_several(self):
        other = {"file": "kernel.cuh", "verdict": "same"}
        row = bench_run.read_report(
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


class GeometricMean(unittest.TestCase):
    def test_only_measured_speedups_count(self):
        rows = [{"speedup": 2.0}, {"speedup": 8.0}, {"speedup": None}, {}]
        mean, count = bench_run.geometric_mean(rows)
        self.assertAlmostEqual(mean, 4.0)
        self.assertEqual(count, 2)

    def test_without_any_speedup_there_is_no_mean(self):
        self.assertEqual(bench_run.geometric_mean([{}]), (None, 0))


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
        verdict, times = witness.compare_runs(a, b, 3)
        self.assertEqual(verdict, "ok")
        self.assertEqual([len(t) for t in times.values()], [3, 3])

    def test_wrong_result_crash_and_failed_check_are_named(self):
        good = self.script("good", "echo x 1.0")
        for text, words in (
            ("echo x 2.0", "FAILED: optimised: line 1: 1.0 expected"),
            ("echo oops >&2; exit 1", "FAILED: optimised: exit code 1: oops"),
            ("exit 3", "exit code 3: its own check failed"),
        ):
            verdict, _ = witness.compare_runs(good, self.script("bad", text), 2)
            self.assertIn(words, verdict)


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
        self.assertIn("3.10x [3.05, 3.15]", text)
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
        self.assertIn("| matmul | 1.086 | 0.350 | 3.10x [3.05, 3.15] |", text)

    def test_a_tool_that_fails_is_reported_and_gives_no_numbers(self):
        code, text = self.run_bench("matmul")
        self.assertEqual(code, 1)
        self.assertIn("nothing works today", text)
        self.assertIn("0 of 1 programs", text)

    def test_a_report_of_another_layout_is_an_error(self):
        code, text = self.run_bench("matmul", report='{"units": 5}')
        self.assertEqual(code, 1)
        self.assertIn("unknown layout", text)


if __name__ == "__main__":
    unittest.main()
