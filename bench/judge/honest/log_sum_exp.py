import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.logsumexp(x, -1)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        highest = x.amax(-1)
        return highest + torch.log(torch.exp(x - highest[:, None]).sum(-1))


def get_inputs():
    return [torch.randn(64, 300)]


def get_init_inputs():
    return []
