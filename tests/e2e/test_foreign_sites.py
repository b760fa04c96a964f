"""No web page of another site can use a server on localhost through a visitor's browser."""
import http.client



def ask(server, method, path, headers, body=None):
    """With the headers given alone, but for `Host` where none is."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.putheader("Content-Length", str(len(body or b"")))
    connection.endheaders(body or b"")
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text


def test_name_that_leads_here_by_its_own_dns_is_refused(server):
    for path in ("/v1/jobs", "/health", "/docs", "/job/x"):
        status, text = ask(server, "GET", path, {"Host": "evil.example:8000"})
        assert status == 403 and "--allow-host evil.example" in text, path
    assert ask(server, "GET", "/v1/jobs", {"Host": "localhost:9"})[0] == 200


def test_page_of_another_site_changes_nothing(server):
    page = {"Origin": "http://evil.example"}
    assert ask(server, "POST", "/admin/cleanup-jobs", page)[0] == 403
    assert ask(server, "POST", "/admin/cleanup-jobs", {**page, "Content-Type": "text/plain"})[0] == 403
    assert ask(server, "DELETE", "/v1/jobs/x", page)[0] == 403
    assert ask(server, "POST", "/v1/jobs", {**page, "Content-Type": "application/json"}, b"{}")[0] == 403
    own = {"Origin": f"http://127.0.0.1:{server.port}", "Content-Type": "application/json"}
    assert ask(server, "POST", "/admin/cleanup-jobs", own, b"{}")[0] == 200


def test_change_that_is_not_said_to_be_json_is_refused(server):
    for headers in ({}, {"Content-Type": "text/plain"},
                    {"Content-Type": "application/x-www-form-urlencoded"}):
        for path in ("/v1/jobs", "/compare", "/evaluate", "/", "/admin/cleanup-jobs"):
            status, text = ask(server, "POST", path, headers, b"{}")
            assert status == 415 and "application/json" in text, (path, headers)
    assert ask(server, "POST", "/admin/cleanup-jobs", {})[0] == 200, "no body, no type: `curl -X POST`"


def test_names_and_sites_may_be_let_in(fresh_server):
    server = fresh_server("--allow-host", "assay.example", "--allow-origin", "https://lab.example").start()
    assert ask(server, "GET", "/health", {"Host": "assay.example:8000"})[0] == 200
    assert ask(server, "GET", "/health", {"Host": "other.example"})[0] == 403
    headers = {"Host": "assay.example", "Origin": "https://lab.example", "Content-Type": "application/json"}
    assert ask(server, "POST", "/v1/jobs", headers, b"{}")[0] == 400, "let in, and found wrong"
    headers["Origin"] = "https://other.example"
    assert ask(server, "POST", "/v1/jobs", headers, b"{}")[0] == 403


def test_browser_is_told_not_to_guess_and_not_to_frame(server):
    for path in ("/", "/docs", "/health", "/v1/jobs", "/none"):
        assert server.get(path).headers["X-Content-Type-Options"] == "nosniff", path
    for path in ("/", "/docs"):
        assert "frame-ancestors 'none'" in server.get(path).headers["Content-Security-Policy"]
