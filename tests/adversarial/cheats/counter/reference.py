import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(33))

    def forward(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x.mean(dim=0)
        return x - self.mean


def get_inputs():
    return [torch.randn(64, 33)]


def get_init_inputs():
    return []
