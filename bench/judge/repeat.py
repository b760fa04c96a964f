#!/usr/bin/env python3
"""The same requests over and over: whether a verdict ever flips.

The cheats of tests/adversarial/cheats must get the verdict and the rule they name each time, and their honest twins
must be accepted. A folder of payloads of the compatible API can be given too: each is sent to /compare and
must be accepted. What was done is kept in a file of lines, so that a stopped run goes on.

    python3 bench/judge/repeat.py --times 20 --results FILE [--payloads FOLDER] [--no-cheats]
"""
import argparse
import collections
import json
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support import cheats  # noqa: E402
from support.server import Server  # noqa: E402

PATIENCE = 600  # seconds for one request
NOT_ACCEPTED = {"sum_reduction.json": "crashed"}  # it reads shared memory that it never asked for


def run_cheat(server, cheat):
    caught = cheats.Caught.of(server.run(cheat.request(timeout=PATIENCE), limit=PATIENCE, interval=0.1))
    right = caught.verdict == cheat.verdict and (not cheat.rule or caught.rule == cheat.rule)
    return {"verdict": caught.verdict, "rule": caught.rule, "right": right, "reason": caught.reason}


def run_payload(server, path):
    # A busy machine must not make a verdict of its own: the payloads allow 30 s.
    body = {**json.loads(path.read_text()), "timeout": PATIENCE}
    answer = server.post("/compare", body, timeout=PATIENCE).json
    verdict = answer.get("verdict") or answer.get("status") or "no verdict"
    expected = NOT_ACCEPTED.get(path.name if path.parent.name == "cuda" else "", "accepted")
    return {"verdict": verdict, "rule": "", "right": verdict == expected, "reason": str(answer.get("reason") or answer.get("error", ""))[:500]}


def tasks(options):
    found = {} if options.no_cheats else {f"cheat {cheat.name}": lambda server, cheat=cheat: run_cheat(server, cheat)
                                          for cheat in cheats.ALL}
    payloads = sorted(options.payloads.rglob("*.json")) if options.payloads else []
    for path in payloads:
        found[f"payload {path.relative_to(options.payloads)}"] = lambda server, path=path: run_payload(server, path)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--payloads", type=pathlib.Path)
    parser.add_argument("--no-cheats", action="store_true")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--results", type=pathlib.Path, required=True)
    options = parser.parse_args()
    todo = tasks(options)
    rows = [json.loads(line) for line in options.results.read_text().splitlines()] if options.results.exists() else []
    done = collections.Counter(row["name"] for row in rows)
    until = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as folder, options.results.open("a") as results:
        server = Server(pathlib.Path(folder) / "data", pathlib.Path(folder) / "cache").start()
        try:
            for turn in range(options.times):
                for name, run in todo.items():
                    if done[name] > turn or time.monotonic() > until:
                        continue
                    rows.append({"name": name, **run(server)})
                    print(json.dumps(rows[-1]), file=results, flush=True)
        finally:
            server.stop()
    verdicts = collections.defaultdict(collections.Counter)
    for row in rows:
        verdicts[row["name"]][row["verdict"], row["rule"]] += 1
    wrong = [row for row in rows if not row["right"]]
    for row in wrong:
        print(f"{row['name']}: {row['verdict']} {row['rule']} {row['reason'][:200]}")
    flips = [name for name, seen in verdicts.items() if len(seen) > 1]
    print(f"{len(verdicts)} tasks, {len(rows)} runs, at least {min(map(lambda seen: seen.total(), verdicts.values()))} "
          f"of each; {len(wrong)} not as they should be, {len(flips)} flipped: {', '.join(flips) or 'none'}")
    return 1 if wrong or flips else 0


if __name__ == "__main__":
    sys.exit(main())
