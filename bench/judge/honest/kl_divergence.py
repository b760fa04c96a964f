import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x, y):
        return F.kl_div(torch.log(x), y, reduction='batchmean')


class ModelNew(torch.nn.Module):
    def forward(self, x, y):
        return (y * (torch.log(y) - torch.log(x))).sum() / x.shape[0]


def get_inputs():
    return [torch.rand(64, 100).softmax(-1), torch.rand(64, 100).softmax(-1)]


def get_init_inputs():
    return []
