import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.layer_norm(x, (200,))


class ModelNew(torch.nn.Module):
    def forward(self, x):
        away = x - x.mean(-1, keepdim=True)
        return away * torch.rsqrt((away * away).mean(-1, keepdim=True) + 1e-5)


def get_inputs():
    return [torch.randn(64, 200).bfloat16()]


def get_init_inputs():
    return []
