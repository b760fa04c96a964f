"""Every page that the product makes, opened in Chromium. Pictures are kept in build/screenshots."""
import json
import re
import shutil
import subprocess

import pytest

from support import browser, fake_ncu, fake_training, kernels, stand_in
from support.server import BINARY, ROOT
from test_traces import trace

pytestmark = pytest.mark.skipif(browser.PROGRAM is None, reason="no chromium on PATH")


@pytest.fixture(scope="module")
def visit(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")

    def go(url, name):
        page = browser.Page(url, folder, name)
        assert page.console() == [], page.console()
        assert page.picture.stat().st_size > 10_000, "the page is empty"
        return page
    return go


def test_start_page_shows_the_server_its_devices_and_its_last_jobs(server, visit):
    job = server.run(kernels.evaluate(num_trials=2, name="<b>scale</b> & co"))
    page = visit(f"http://127.0.0.1:{server.port}/", "start")
    assert server.get("/health").json["needs_token"] is False
    devices = server.get("/v1/devices").json["devices"]
    shown = page.text
    assert "judges GPU kernels" in shown and server.get("/health").json["version"] in shown
    assert devices[0]["name"] in shown
    assert job["id"][:8] in shown and "accepted" in shown and "cuda" in shown
    assert "<b>scale</b> & co" in shown, "names are text, never markup"
    for link in ("docs", "openapi.json", "health", "v1/devices", "v1/jobs", "stats", "metrics"):
        assert f'href="{link}"' in page.html
        assert server.get(f"/{link}").status == 200


def test_start_page_of_a_new_server_says_that_there_is_no_job(fresh_server, visit):
    server = fresh_server().start()
    shown = visit(f"http://127.0.0.1:{server.port}/", "start-empty").text
    assert "There is none yet" in shown and "It is ready" in shown


def test_start_page_of_a_server_whose_disk_is_full_says_that_it_takes_no_jobs(fresh_server, visit):
    server = fresh_server("--keep-free", "1000000gb").start()
    shown = visit(f"http://127.0.0.1:{server.port}/", "start-full").text
    assert "It takes no jobs: the server's disk has" in shown and "It is ready" not in shown


def test_start_page_of_a_server_that_wants_tokens_says_who_sees_its_jobs(fresh_server, visit):
    server = fresh_server()
    subprocess.run([BINARY, "token", "create", "--name", "ann", "--scope", "submit", "--data-dir", server.data_dir],
                   check=True, capture_output=True)
    server.start()
    assert server.get("/health").json["needs_token"] is True
    shown = visit(f"http://127.0.0.1:{server.port}/", "start-tokens").text
    assert "judges GPU kernels" in shown and shown.count("Only people with a token see this") == 2


def test_documentation_of_the_api_is_shown_whole(server, visit):
    page = visit(f"http://127.0.0.1:{server.port}/docs", "docs")
    assert "cannot be shown" not in page.text
    document = server.get("/openapi.json").json
    for path, item in document["paths"].items():
        for operation in item.values():
            assert f'id="{operation["operationId"]}"' in page.html, path
    assert "details of wrong_answer" in page.text
    assert "<li>408: the request took too long to arrive.</li>" in page.html


@pytest.mark.parametrize("name, arguments, words", [
    ("report", ["analyze", "before.json"], "gemm"),
    ("difference", ["diff", "before.json", "after.json"], "gemm"),
])
def test_reports_of_profiles_are_shown(tmp_path, visit, name, arguments, words):
    (tmp_path / "before.json").write_text(trace(100))
    (tmp_path / "after.json").write_text(trace(130))
    done = subprocess.run([BINARY, *arguments, "--format", "html"], capture_output=True, text=True,
                          cwd=tmp_path, timeout=60)
    assert done.returncode == 0, done.stderr
    page = tmp_path / f"{name}.html"
    page.write_text(done.stdout)
    shown = visit(page.as_uri(), name).text
    assert words in shown and re.search(r"\d", shown)


def test_page_about_counters_is_shown(tmp_path, cache_dir, visit):
    (tmp_path / "request.json").write_text(json.dumps({**kernels.compare(), "num_trials": 3, "name": "<b>scale</b>"}))
    (tmp_path / "tool").mkdir()  # pytest's own folder is closed to jailed users
    ncu = stand_in.write(fake_ncu, tmp_path / "tool" / "ncu", "many")
    page = tmp_path / "counters.html"
    done = subprocess.run([BINARY, "profile-kernel", tmp_path / "request.json", "--html", page, "--devices", "cpu",
                           "--ncu", ncu, "--cache-dir", cache_dir, "-q"], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    shown = visit(page.as_uri(), "counters")
    assert 'data-ready="yes"' in shown.html, "a script failed"
    assert "What limits <b>scale</b>" in shown.text, "names are text, never markup"
    assert "memory-bound: 92 % of DRAM bandwidth" in shown.text
    assert shown.html.count('<circle class="point"') == 2, "reference and candidate under the roofline"
    assert shown.html.count('<rect class="slice"') == 3, "two reasons to wait, and the rest"
    for words in ("long scoreboard", "dram_total_bandwidth_gb_s", "Candidate / reference", "reduce_kernel"):
        assert words in shown.text, words


def test_page_and_picture_of_profiled_runs_are_shown(tmp_path, visit):
    if shutil.which("g++") is None:
        pytest.skip("needs g++")
    environment = fake_training.build(tmp_path / "made")

    def profile(*words):
        done = subprocess.run([BINARY, "profile", "--engine", "tracer", *words], capture_output=True, text=True,
                              cwd=tmp_path, env=environment, timeout=120)
        assert done.returncode == 0, done.stderr
    profile("--then-ncu", "1", "--stages", "forward; backward", "--", "python", "train.py", "--batch", "8", "--steps", "3")
    report = visit(next(tmp_path.glob("assay-runs/*/report.html")).as_uri(), "profile")
    for words in ("layer_norm_naive", "backward", "memory"):
        assert words in report.text, words
    profile("--sweep", "batch=8,16", "--", "python", "train.py", "--batch", "{batch}", "--steps", "2")
    shown = visit(next(tmp_path.glob("assay-runs/sweep-*/sweep.svg")).as_uri(), "sweep").text
    assert "batch" in shown and "16" in shown


def test_picture_of_the_architecture_is_shown(visit):
    shown = visit((ROOT / "docs" / "architecture.svg").as_uri(), "architecture").text
    for part in ("client", "server", "store", "compilers", "worker", "runner of the candidate"):
        assert part in shown, part


def test_a_mistake_in_a_script_would_be_noticed(tmp_path, visit):
    page = tmp_path / "broken.html"
    page.write_text("<p>" + "long " * 9000 + "</p><script>undefined.verdict</script>")
    with pytest.raises(AssertionError, match="verdict"):
        visit(page.as_uri(), "broken")
    browser.SCREENSHOTS.joinpath("broken.png").unlink()
