# What every attack on the clock here claims to be faster than: it takes 0.1 ms on an H200.
import torch


class Model(torch.nn.Module):
    def forward(self, x, w):
        return torch.softmax(x @ w, -1)


def get_inputs():
    return [torch.randn(2048, 1024), torch.randn(1024, 2048)]


def get_init_inputs():
    return []
