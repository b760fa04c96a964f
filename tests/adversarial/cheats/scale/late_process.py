# verdict: wrong_answer
# rule: tolerance
# class: B2
# Has a child process fill the answer after the call.
import os
import time

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        out = torch.zeros_like(x).share_memory_()
        out[0, 0] = 1
        try:
            child = os.fork()
        except OSError:
            return out
        if child == 0:
            time.sleep(0.05)
            out.copy_(torch.relu(2 * x + 1))
            os._exit(0)
        return out
