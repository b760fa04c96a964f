"""The cheats of tests/adversarial/cheats on a GPU: none is accepted, and their honest twins are."""
import concurrent.futures

from support import cheats

AT_ONCE = 8  # extensions are compiled side by side; the GPU takes one evaluation at a time
PATIENCE = 300


def test_no_cheat_is_accepted_and_every_twin_is(gpu):
    tried = [cheat for cheat in cheats.ALL if not cheat.is_for_cpu_alone]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        said = list(pool.map(lambda cheat: what_is_wrong(gpu, cheat), tried))
    wrong = [words for words in said if words]
    assert not wrong, "\n".join(wrong)


def what_is_wrong(gpu, cheat):
    """Judges one cheat or twin, and prints what became of it as soon as that is known."""
    job = gpu.run(cheat.request(timeout=PATIENCE), limit=PATIENCE + 60)
    caught = cheats.Caught.of(job)
    seconds = sum(phase.get("duration_ms", 0) for phase in job["phases"]) / 1000
    print(f"{cheat.name:45} -> {caught.rule or '-':18} -> {caught.verdict} ({seconds:.1f} s)", flush=True)
    if (caught.verdict == "accepted") == cheat.is_honest:
        return ""
    return f"{cheat.name}: {caught.verdict} {caught.rule}: {caught.reason}"
