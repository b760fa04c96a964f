"""What a hostile source can do to others: nothing."""

import base64
import os
import pathlib
import select
import signal
import struct

import pytest

# struct sock_filter[]: socket(2) answers EPERM, everything else is allowed.
NO_SOCKETS = b"".join(
    struct.pack("<HBBI", *instruction)
    for instruction in [
        (0x20, 0, 0, 0),  # load the number of the call
        (0x15, 0, 1, 41),  # socket on x86_64
        (0x06, 0, 0, 0x00050001),
        (0x06, 0, 0, 0x7FFF0000),
    ]
)


def load_only(child, source):
    """Sends a source that will not be answered."""
    python = {"type": "torch", "source": source, "seed": 1, "device": "cpu", "metadata": {}}
    child.channel.send({"op": "load", "python": python})


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("import ctypes; ctypes.string_at(0)", signal.SIGSEGV),
        ("import os; os.abort()", signal.SIGABRT),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", signal.SIGKILL),
    ],
)
def test_a_signal_is_reported_by_init(child, statement, expected):
    load_only(child, statement)
    with pytest.raises(EOFError):
        child.channel.receive()
    assert os.WTERMSIG(child.ended()["status"]) == expected


def test_an_exit_is_reported_by_init(child):
    load_only(child, "import os; os._exit(7)")
    with pytest.raises(EOFError):
        child.channel.receive()
    ended = child.ended()
    assert os.waitstatus_to_exitcode(ended["status"]) == 7
    assert ended["peak_bytes"] > 1 << 20


def test_a_hanging_kernel_dies_with_its_init(child):
    load_only(child, "while True: pass")
    assert not select.select([child.channel], [], [], 0.2)[0]
    child.kill()
    assert child.gone(child.target)


def test_processes_and_threads_left_behind_die_with_the_runner(child):
    child.loaded(
        "import os, threading, time\n"
        "for _ in range(3):\n"
        "  if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    time.sleep(1000)\n"
        "threading.Thread(target=time.sleep, args=(1000,)).start()\n"
        "def f(): pass\n"
    )
    holders = pathlib.Path(f"/proc/self/fdinfo/{child.init}").read_text()
    init = int(holders.split("Pid:\t")[1].split()[0])
    families = pathlib.Path(f"/proc/{init}/task/{init}/children").read_text().split()
    target = int(families[0])
    children = pathlib.Path(f"/proc/{target}/task/{target}/children").read_text().split()
    assert len(children) == 3
    child.kill()
    assert not any(pathlib.Path(f"/proc/{process}").exists() for process in children)


@pytest.mark.skipif(os.getuid() == 0, reason="root's processes are not limited; a jail's are")
def test_a_fork_bomb_is_held_to_the_limit_of_processes(fork):
    child = fork(processes=20)
    child.loaded(
        "import os, time\n"
        "made = 0\n"
        "try:\n"
        "  while True:\n"
        "    if os.fork() == 0: time.sleep(1000)\n"
        "    made += 1\n"
        "except BlockingIOError: pass\n"
        "print(made < 20)\n"
        "def f(): pass\n"
    )
    assert child.printed() == "True\n"
    child.kill()


def test_nothing_but_the_channel_and_the_standard_three_is_open(child):
    child.loaded(
        "import os\n"
        "links = []\n"
        "for n in os.listdir('/proc/self/fd'):\n"
        "  try: links.append(os.readlink(f'/proc/self/fd/{n}').split(':')[0])\n"
        "  except FileNotFoundError: pass\n"
        "print(sorted(links))\n"
        "def f(): pass\n"
    )
    kinds = ["/dev/null", "/memfd", "/memfd", "socket"]
    assert child.printed() == f"{kinds}\n"


def test_writing_to_every_descriptor_is_at_worst_a_broken_protocol(child):
    load_only(
        child,
        "import os\n"
        "for n in range(256):\n"
        "  try: os.write(n, b'\\xff' * 8)\n"
        "  except OSError: pass\n"
        "def f(): pass\n",
    )
    header = child.channel._socket.recv(4)
    assert header == b"\xff" * 4  # the worker refuses a frame of that length


def test_the_runner_is_alone_in_its_namespaces(child):
    child.loaded(
        "import os\n"
        "print(os.getppid(), sorted(p for p in os.listdir('/proc') if p.isdigit()))\n"
        "print(os.listdir('/tmp'), os.getcwd(), os.listdir('/sys/class/net')\n"
        "      if os.path.exists('/sys/class/net') else [])\n"
        "print(open('/proc/net/dev').read().count(':'))\n"
        "def f(): pass\n"
    )
    lines = child.printed().splitlines()
    assert lines[0] == "1 ['1', '2']"
    assert lines[1].startswith("['kernel.py'] /tmp")
    assert lines[2] == "1"  # the loopback


def test_init_cannot_be_killed_traced_or_read(child):
    child.loaded(
        "import os, signal\n"
        "for number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGSEGV):\n"
        "  try: os.kill(1, number)\n"
        "  except PermissionError: pass\n"  # by Landlock, where the kernel has it
        "for name in ('mem', 'maps', 'environ', 'fd'):\n"
        "  try:\n"
        "    os.readlink('/proc/1/fd/0') if name == 'fd' else open(f'/proc/1/{name}', 'rb').read()\n"
        "    print('read', name)\n"
        "  except PermissionError: pass\n"
        "def f(): pass\n"
    )
    assert child.printed() == ""
    assert not child.gone(patience=0.1)


def test_no_privilege_is_left(child):
    child.loaded(
        "import ctypes, os\n"
        "status = dict(l.split(':', 1) for l in open('/proc/self/status'))\n"
        "print([int(status[k], 16) for k in ('CapPrm', 'CapEff', 'CapInh', 'CapBnd', 'CapAmb')],\n"
        "      int(status['NoNewPrivs']))\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "print(libc.mount(b'none', b'/tmp', b'tmpfs', 0, None), libc.sethostname(b'x', 1))\n"
        "def f(): pass\n"
    )
    assert child.printed() == "[0, 0, 0, 0, 0] 1\n-1 -1\n"


def test_the_filter_that_came_with_the_request_is_loaded(fork):
    child = fork(filter=NO_SOCKETS)
    child.loaded(
        "import socket\n"
        "try: socket.socket()\n"
        "except PermissionError as error: print(error.errno)\n"
        "def f(): pass\n"
    )
    assert child.printed() == "1\n"


def test_a_file_larger_than_the_limit_cannot_be_written(fork):
    child = fork(file_bytes=1 << 20)
    child.loaded(
        "try: open('/tmp/large', 'wb').write(b'x' * (2 << 20))\n"
        "except OSError as error: print(error.strerror)\n"
        "def f(): pass\n"
    )
    assert child.printed() == "File too large\n"


def test_runners_do_not_share_files(fork):
    first, second = fork(), fork()
    first.loaded("open('/tmp/secret', 'w').write('x')\ndef f(): pass")
    second.loaded("import os\nprint(os.listdir('/tmp'))\ndef f(): pass")
    assert second.printed() == "['kernel.py']\n"


def test_a_runner_that_cannot_be_confined_says_so(zygote):
    with pytest.raises(AssertionError, match="failed"):
        zygote.fork(filter=base64.b64decode("/////w==") * 2)


def test_the_zygote_keeps_nothing_of_its_children(zygote, fork):
    def open_files():
        return len(os.listdir(f"/proc/{zygote.process.pid}/fd"))

    before = open_files()
    for _ in range(3):
        child = fork()
        child.kill()
    assert open_files() == before
    status = pathlib.Path(f"/proc/{zygote.process.pid}/status").read_text()
    assert "Threads:\t1\n" in status
