import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.max(x, -1)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        places = torch.arange(x.shape[1]).expand_as(x)
        highest = x.amax(-1)
        return highest, torch.where(x == highest[:, None], places, x.shape[1]).amin(-1)


def get_inputs():
    return [torch.randn(64, 200)]


def get_init_inputs():
    return []
