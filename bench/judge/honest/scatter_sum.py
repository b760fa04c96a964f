import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x, places):
        return torch.zeros(30, 8).index_add_(0, places, x)


class ModelNew(torch.nn.Module):
    def forward(self, x, places):
        return F.one_hot(places, 30).float().t() @ x


def get_inputs():
    return [torch.randn(2000, 8), torch.randint(0, 30, (2000,))]


def get_init_inputs():
    return []
