"""The reference: simple, and right. Every output of the candidate is held against this one's."""
import torch


class Model(torch.nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x, y):
        return torch.relu(x * self.scale + y)


def get_inputs():
    """Called for every round of checks, under another seed each time."""
    return [torch.randn(64, 256), torch.randn(64, 256)]


def get_init_inputs():
    """What both models are made with."""
    return [2.5]
