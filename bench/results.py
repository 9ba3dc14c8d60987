"""Rows of bench/run: what is read from a report, what they mean together, and
how they are printed and kept. A row is a dict that goes into the JSON file."""

import json
import math
import sys
from pathlib import Path


def number(value):
    """The value as float if it is a finite number, else None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) else None


def read_report(report, source):
    """Flattens the tool's JSON report to one row for the unit SOURCE: the only
    place that knows its layout. Whatever is missing from it is None."""
    units = report.get("units") or []
    named = [u for u in units if Path(u.get("file") or "").name == source.name]
    unit = (named or units or [{}])[0]
    original = unit.get("original") or {}
    best = unit.get("best") or {}
    rewrites = unit.get("rewrites") or []
    return {
        "verdict": unit.get("verdict"),
        "engine": report.get("engine"),
        "original_gpu_ms": number(original.get("gpu_ms")),
        "best_gpu_ms": number(best.get("gpu_ms")),
        "original_span_ms": number(original.get("gpu_span_ms")),
        "best_span_ms": number(best.get("gpu_span_ms")),
        "original_wall_ms": number(original.get("wall_ms")),
        "best_wall_ms": number(best.get("wall_ms")),
        "speedup": number(unit.get("speedup")),
        "ci_low": number(unit.get("ci_low")),
        "ci_high": number(unit.get("ci_high")),
        "rewrites": [r.get("rule") or "?" for r in rewrites],
        # A rewrite of host code belongs to no kernel.
        "host_rewritten": any(r.get("kernel") == "" for r in rewrites)
        or unit.get("speedup_of") == "gpu-span",
        "variants_tried": number(unit.get("variants_tried")),
    }


# --- What rows mean ----------------------------------------------------------


def is_failed(check):
    return (check or "").startswith("FAILED")


def failed(row):
    return bool(row.get("error")) or any(map(is_failed, checks_of(row)))


def checks_of(row):
    """What the witness said of the result, the expert's version, and both
    sides compiled with --use_fast_math."""
    fast = row.get("fast_math") or {}
    return {row.get("check"), row.get("expert_check"), fast.get("check")}


def program_ratio(row):
    """(original ÷ optimised of the whole program, the quantity that it is of,
    None), or (None, None, why there is none)."""
    if row.get("error"):
        return None, None, row["error"]
    if is_failed(row.get("check")):
        return None, None, row["check"]
    if row.get("verdict") == "nothing-better":
        return 1.0, "unchanged", None
    if row.get("verdict") != "faster":
        return None, None, f"verdict {row.get('verdict') or 'missing'}"
    what = "span" if row.get("host_rewritten") else "gpu"
    before, after = (row.get(f"{side}_{what}_ms") for side in ("original", "best"))
    if not before or not after:
        return None, None, f"the report gives no {what} time"
    return before / after, what, None


def geometric_mean(values):
    values = list(values)
    if not values:
        return None
    return math.exp(sum(map(math.log, values)) / len(values))


def mean_ratio(rows):
    """(geometric mean, number of programs in it)."""
    ratios = [r for r, _, _ in map(program_ratio, rows) if r is not None]
    return geometric_mean(ratios), len(ratios)


def mean_of(rows, key):
    """(geometric mean, count) over the rows that have KEY and did not fail."""
    values = [r[key] for r in rows if r.get(key) and program_ratio(r)[0]]
    return geometric_mean(values), len(values)


# --- Text --------------------------------------------------------------------


def text_of(value, pattern="{}"):
    return "-" if value is None or value == "" else pattern.format(value)


def speedup_text(row):
    of_span = " (span)" if row.get("host_rewritten") else ""
    text = text_of(row.get("speedup"), "{:.2f}x")
    low, high = row.get("ci_low"), row.get("ci_high")
    if text == "-" or low is None or high is None:
        return text
    return f"{text} [{low:.2f}, {high:.2f}]{of_span}"


def ratio_text(row):
    ratio, what, _ = program_ratio(row)
    text = text_of(ratio, "{:.2f}x")
    return f"{text} (span)" if what == "span" else text


def rewrites_text(names):
    counts = {}
    for name in names or []:
        counts[name] = counts.get(name, 0) + 1
    parts = [n if c == 1 else f"{n} ({c} times)" for n, c in counts.items()]
    return ", ".join(parts) or "-"


def roofline_text(row):
    roofline = row.get("roofline") or {}
    share = roofline.get("share")
    return text_of(share and 100 * share, "{:.0f} % of " + roofline.get("bound", ""))


def expert_texts(row):
    if is_failed(row.get("expert_check")):
        return ["FAILED", "-"]
    share = row.get("expert_share")
    return [
        text_of(row.get("expert_ms"), "{:.3f}"),
        text_of(share and 100 * share, "{:.0f} %"),
    ]


def fast_math_text(row):
    if is_failed((row.get("fast_math") or {}).get("check")):
        return "FAILED"
    return text_of(row.get("fast_math_ratio"), "{:.2f}x")


def table(rows):
    experts = any(r.get("expert_check") for r in rows)
    rooflines = any(r.get("roofline") for r in rows)
    head = ["program", "GPU ms", "→", "GPU ms", "ratio"]
    head += ["kernels' speedup [interval]", "verdict", "engine", "check"]
    head += ["roofline"] * rooflines
    head += ["expert ms", "share of expert"] * experts
    fast = any(r.get("fast_math") for r in rows)
    head += ["ratio with fast maths"] * fast
    lines = [head + ["rewrites"]]
    for row in rows:
        line = [
            row["program"],
            text_of(row.get("original_gpu_ms"), "{:.3f}"),
            "→",
            text_of(row.get("best_gpu_ms"), "{:.3f}"),
            ratio_text(row),
            speedup_text(row),
            text_of(row.get("verdict")),
            text_of(row.get("engine")),
            "FAILED" if is_failed(row.get("check")) else text_of(row.get("check")),
        ]
        line += [roofline_text(row)] * rooflines
        line += expert_texts(row) if experts else []
        line += [fast_math_text(row)] * fast
        lines.append(line + [rewrites_text(row.get("rewrites"))])
    return lines


def print_table(rows, markdown):
    lines = table(rows)
    if markdown:
        lines = [l[:2] + l[3:] for l in lines]
        lines[0][1:3] = ["original GPU ms", "optimised GPU ms"]
        lines.insert(1, ["---"] * len(lines[0]))
        for line in lines:
            print("| " + " | ".join(line) + " |")
        return
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        cells = [
            c.rjust(w) if i in (1, 3, 4) else c.ljust(w)
            for i, (c, w) in enumerate(zip(line, widths))
        ]
        print("  ".join(cells).rstrip())


def roofline_lines(rows):
    right = [r["roofline"] for r in rows if r.get("roofline") and program_ratio(r)[0]]
    right = [r for r in right if r["share"] and r["original_share"]]
    if right:
        shares = [geometric_mean(r[key] for r in right)
                  for key in ("original_share", "share")]
        yield (
            f"roofline time / GPU time: {shares[0]:.3f} before, {shares[1]:.3f} after "
            f"(geometric mean, {len(right)} programs)"
        )


def summary_lines(rows):
    mean, count = mean_ratio(rows)
    yield (
        f"geometric mean of original / optimised: {text_of(mean, '{:.3f}x')} "
        f"over {count} of {len(rows)} programs (unchanged ones as 1.00x; GPU time "
        "of all kernels)"
    )
    spans = [r["program"] for r in rows if program_ratio(r)[1] == "span"]
    if spans:
        yield ("from first to last GPU work instead, since host code was rewritten: "
               + ", ".join(spans))
    for key, words in (
        ("witness_ratio", "the same by the witness's own runs"),
        ("fast_math_ratio", "by the witness, both with --use_fast_math"),
        ("expert_share", "expert's time / optimised time"),
        ("expert_span_share", "the same from first to last GPU work"),
    ):
        mean, count = mean_of(rows, key)
        if count:
            yield f"{words}: {mean:.3f} (geometric mean, {count} programs)"
    yield from roofline_lines(rows)
    for row in rows:
        why = program_ratio(row)[2]
        if why:
            yield f"not counted: {row['program']}: {why}"


def peaks_text(peaks):
    """What was measured of a GPU, the bandwidths last, in one line."""
    facts = [f"{k} {v:.0f}" for k, v in peaks.items()
             if number(v) and k not in ("sms", "l2_bytes")]
    return ", ".join(facts)


def print_summary(rows, machine, markdown):
    print_table(rows, markdown)
    print()
    for line in summary_lines(rows):
        print(line + ("  " if markdown else ""))
    facts = [f"{k} {text_of(machine.get(k))}" for k in
             ("gpu", "driver", "nvcc", "revision", "date")]
    if machine.get("flags"):
        facts.append("both sides compiled with " + " ".join(machine["flags"]))
    print(", ".join(facts))
    for gpu, peaks in (machine.get("peaks") or {}).items():
        if peaks:
            print(f"peaks of GPU {gpu}, 1e9 a second: {peaks_text(peaks)}")
    for row in rows:
        for check in checks_of(row):
            if is_failed(check):
                print(f"{row['program']}: {check}")


def save_json(path, rows, machine):
    if path is None:
        return
    mean, count = mean_ratio(rows)
    share, experts = mean_of(rows, "expert_share")
    content = {
        "command": " ".join(sys.argv),
        **machine,
        "geometric_mean_ratio": mean,
        "programs_in_mean": count,
        "geometric_mean_expert_share": share,
        "programs_with_expert": experts,
        "rows": rows,
    }
    temporary = Path(f"{path}.part")
    temporary.write_text(json.dumps(content, indent=1) + "\n")
    temporary.replace(path)
