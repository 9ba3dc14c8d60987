"""Stands in for cuda-l1-env: a kernel whose steps multiply its speed by a fixed factor each."""
import json
import math
import sys

STEPS = {"unroll-loop": 1.2, "split-work": 4.0, "fast-math": 0.9, "tile-loop": None, "pad-shared": "not-made"}
LOG = open(sys.argv[1], "a") if len(sys.argv) > 1 else None
times_opened = 0
applied = []


def name(steps):
    return "%016x" % sum(1 << (4 * list(STEPS).index(step)) for step in steps)


def speed(steps):
    # The first session of all flatters what is far too good: a second look finds out.
    flattery = 2.0 if times_opened == 2 and "split-work" in steps else 1.0
    return math.log(math.prod(STEPS[step] for step in steps) * flattery)


def sites():
    left = [step for step in STEPS if step not in applied]
    return {"kernel": "k", "node": name(applied), "applied": [{"rule": step} for step in applied], "log_speedup": speed(applied),
            "state": {"loops": 1}, "actions": [{"rule": step, "params": {}, "features": {"advice": 0.1}} for step in left]}


def measure(number):
    step = sites()["actions"][number]["rule"]
    if STEPS[step] == "not-made":
        return {"action": number, "verdict": "not-made"}
    to = name(applied + [step])
    if STEPS[step] is None:
        return {"action": number, "to": to, "verdict": "wrong-result"}
    log = speed(applied + [step])
    return {"action": number, "to": to, "verdict": "faster" if log > speed(applied) else "slower", "log_speedup": log}


for line in sys.stdin:
    request = json.loads(line)
    what = request["request"]
    if LOG:
        print(what, file=LOG, flush=True)
    if what == "hello":
        answer = {"protocol": 1, "gpu": "fake"}
    elif what == "kernels":
        times_opened += 1
        answer = {"kernels": [{"kernel": "k"}]}
    elif what == "reset":
        applied = []
        answer = sites()
    elif what == "apply":
        step = sites()["actions"][request["action"]]["rule"]
        if isinstance(STEPS[step], float):
            applied = applied + [step]
            answer = sites()
        else:
            answer = {"error": "it cannot be made"}
    elif what == "go":
        answer = {"error": "no such node"}
    elif what == "measure":
        answer = {"results": [measure(number) for number in request["actions"]]}
    elif what == "close":
        answer = {}
    else:
        answer = {"error": "unknown request"}
    print(json.dumps(answer), flush=True)
