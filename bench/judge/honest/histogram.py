import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.histc(x, 20, 0, 1)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        inside = x[(x >= 0) & (x <= 1)]
        bins = (inside * 20).long().clamp_max(19)
        return torch.zeros(20).index_add_(0, bins, torch.ones(inside.numel()))


def get_inputs():
    return [torch.rand(5000)]


def get_init_inputs():
    return []
