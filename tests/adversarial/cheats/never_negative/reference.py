import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(96, 40)

    def forward(self, x):
        return self.linear(torch.nn.functional.elu(x))


def get_inputs():
    return [torch.rand(64, 96)]


def get_init_inputs():
    return []
