import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(128, 64)

    def forward(self, x):
        return torch.relu(self.linear(x))


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(128, 64)

    def forward(self, x):
        return (x @ self.linear.weight.t()).add_(self.linear.bias).clamp_min_(0)


def get_inputs():
    return [torch.randn(32, 128)]


def get_init_inputs():
    return []
