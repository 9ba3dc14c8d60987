"""Whole training runs on the tests' made-up record.

usage: train_test.py MODE TRAINER WRITE-SYNTHETIC-RECORD [MPIRUN]
MODE: rises, resume or ranks
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

CONFIG = """
[run]
seed = 3
threads = 1
folder = "run"
output = "run/out.safetensors"
checkpoint_every = 2
[data]
record = ["synthetic.jsonl"]
families = "families.toml"
validation_share = 0.2
[clone]
rounds = {clones}
[grpo]
iterations = {iterations}
kernels = 8
"""


def prepare(folder, writer, clones, iterations):
    subprocess.run([writer, folder, "6"], check=True)
    config = pathlib.Path(folder, "train.toml")
    config.write_text(CONFIG.format(clones=clones, iterations=iterations))
    return str(config)


def outcome(folder):
    run = pathlib.Path(folder, "run")
    return (run / "train.curves.json").read_bytes(), (run / "train.checkpoint").read_bytes()


def mean(points):
    return sum(value for _, value in points) / len(points)


# On the real record, all kernels in each iteration: the reward does not depend on which were drawn.
RISES = """
[run]
seed = 3
threads = 1
folder = "run"
output = "run/out.safetensors"
evaluate_every = 100
[data]
record = ["{policy}/measurements"]
families = "{policy}/corpus/families.toml"
[episode]
measurements = 8
[grpo]
iterations = 12
kernels = 100000
rollouts = 4
learning_rate = 1e-3
proposal_share = 0
"""


def rises(trainer, writer, folder):
    policy = pathlib.Path(__file__).resolve().parents[2] / "policy"
    config = pathlib.Path(folder, "train.toml")
    config.write_text(RISES.format(policy=os.path.relpath(policy, folder)))
    subprocess.run([trainer, "train", config, "--no-warm-start"], check=True)
    reward = json.loads(outcome(folder)[0])["policy/reward"]
    assert mean(reward[-4:]) > mean(reward[:4]) + 0.02, f"the reward does not rise: {reward}"


def resume(trainer, writer, folder):
    whole, cut = os.path.join(folder, "whole"), os.path.join(folder, "cut")
    subprocess.run([trainer, "train", prepare(whole, writer, 6, 5)], check=True)
    command = [trainer, "train", prepare(cut, writer, 6, 5), "--resume"]
    for stop_at in ("warm start 5/", "policy 4/"):
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if stop_at in line:
                break
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run(command, check=True)
    assert outcome(whole) == outcome(cut), "the resumed run is another one"


def ranks(trainer, writer, folder, mpirun):
    config = prepare(folder, writer, 4, 3)
    command = [mpirun, "--allow-run-as-root", "--oversubscribe", "-np", "2", trainer, "train", config]
    subprocess.run(command, check=True)
    curves = json.loads(outcome(folder)[0])
    assert len(curves["clone/loss"]) == 4 and len(curves["policy/reward"]) == 3


if __name__ == "__main__":
    mode, arguments = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as scratch:
        {"rises": rises, "resume": resume, "ranks": ranks}[mode](*arguments[:2], scratch, *(arguments[2:] if mode == "ranks" else []))
