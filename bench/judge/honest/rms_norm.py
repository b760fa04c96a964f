import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(384))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(384))

    def forward(self, x):
        squares = torch.zeros(x.shape[0], 1)
        for part in x.split(64, -1):
            squares = squares + (part * part).sum(-1, keepdim=True)
        return x / torch.sqrt(squares / x.shape[-1] + 1e-6) * self.weight


def get_inputs():
    return [torch.randn(40, 384)]


def get_init_inputs():
    return []
