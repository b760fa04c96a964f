import torch


class Model(torch.nn.Module):
    def forward(self, edges, x):
        return torch.searchsorted(edges, x)


class ModelNew(torch.nn.Module):
    """Counts the edges below each number, in any order."""

    def forward(self, edges, x):
        return (edges[None, :] < x[:, None]).sum(-1)


def get_inputs():
    return [torch.randn(40).sort().values, torch.randn(500)]


def get_init_inputs():
    return []
