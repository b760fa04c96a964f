import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.interpolate(x, scale_factor=2, mode='bilinear', align_corners=False)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        for dim in (2, 3):
            n = x.shape[dim]
            at = ((torch.arange(2 * n) + 0.5) / 2 - 0.5).clamp_min(0)
            low = at.long()
            high = (low + 1).clamp_max(n - 1)
            part = (at - low).view([-1 if d == dim else 1 for d in range(4)])
            x = x.index_select(dim, low) * (1 - part) + x.index_select(dim, high) * part
        return x


def get_inputs():
    return [torch.randn(2, 3, 10, 11)]


def get_init_inputs():
    return []
