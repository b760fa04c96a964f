import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(64, 48)
        self.scale = torch.nn.Parameter(torch.full((48,), 2.0))
        self.shift = torch.nn.Parameter(torch.zeros(48))

    def forward(self, x):
        return self.linear(x) * self.scale + self.shift


def get_inputs():
    return [torch.randn(128, 64)]


def get_init_inputs():
    return []
