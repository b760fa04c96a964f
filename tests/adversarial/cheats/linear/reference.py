import torch


class Model(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.layer = torch.nn.Linear(features, features)

    def forward(self, x):
        return torch.relu(self.layer(x))


def get_inputs():
    return [torch.randn(16, 32)]


def get_init_inputs():
    return [32]
