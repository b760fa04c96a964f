"""The examples of the documents, run as they stand."""
import re

import pytest

from support.server import ROOT


@pytest.mark.parametrize("path", ["docs/client.md", "python/assay_client/README.md"])
def test_examples_run_from_top_to_bottom(server, path, capsys):
    text = (ROOT / path).read_text()
    examples = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert examples
    code = "\n".join(examples).replace("127.0.0.1:8000", f"127.0.0.1:{server.port}")
    exec(compile(code, path, "exec"), {"__name__": "example"})
    assert "accepted" in capsys.readouterr().out
