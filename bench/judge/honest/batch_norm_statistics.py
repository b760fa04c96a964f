import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm2d(12)

    def forward(self, x):
        return self.norm(x)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm2d(12)

    def forward(self, x):
        n = self.norm
        count = x.numel() / x.shape[1]
        mean = x.mean((0, 2, 3))
        spread = (x * x).mean((0, 2, 3)) - mean * mean
        n.running_mean.lerp_(mean, n.momentum)
        n.running_var.lerp_(spread * (count / (count - 1)), n.momentum)
        scale = n.weight * torch.rsqrt(spread + n.eps)
        return x * scale[:, None, None] + (n.bias - mean * scale)[:, None, None]


def get_inputs():
    return [torch.randn(6, 12, 9, 9)]


def get_init_inputs():
    return []
