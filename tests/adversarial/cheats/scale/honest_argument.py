# verdict: accepted
# fills: its argument
import torch


def scale(x, out, n):
    torch.mul(x, 2, out=out)
    out.add_(1).relu_()
