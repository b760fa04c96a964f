# verdict: wrong_answer
# rule: unwritten
# class: B2
# fills: its argument
# Has a thread fill the output a little later.
import threading
import time

import torch


def _work(x, out):
    time.sleep(0.1)
    out.copy_(torch.relu(2 * x + 1))


def scale(x, out, n):
    threading.Thread(target=_work, args=(x, out)).start()
