# verdict: crashed
# says: RecursionError
import sys

import torch

sys.setrecursionlimit(1 << 30)


def deeper(n):
    return deeper(n + 1) + 1


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x * deeper(0)
