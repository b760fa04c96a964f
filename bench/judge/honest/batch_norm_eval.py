import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm2d(12).eval()

    def forward(self, x):
        return self.norm(x)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm2d(12).eval()

    def forward(self, x):
        n = self.norm
        scale = n.weight * torch.rsqrt(n.running_var + n.eps)
        return x * scale[:, None, None] + (n.bias - n.running_mean * scale)[:, None, None]


def get_inputs():
    return [torch.randn(8, 12, 9, 9)]


def get_init_inputs():
    return []
