# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    """Parameters of its own under the reference's names."""

    def __init__(self):
        super().__init__()
        self.norm = torch.nn.Module()
        self.norm.weight = torch.nn.Parameter(torch.ones(500))
        self.norm.bias = torch.nn.Parameter(torch.zeros(500))

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        return centred * torch.rsqrt(centred.square().mean(-1, keepdim=True) + 1e-5) * self.norm.weight + self.norm.bias
