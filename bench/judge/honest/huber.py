import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x, y):
        return F.smooth_l1_loss(x, y)


class ModelNew(torch.nn.Module):
    def forward(self, x, y):
        away = (x - y).abs()
        return torch.where(away < 1, 0.5 * away * away, away - 0.5).mean()


def get_inputs():
    return [torch.randn(300, 40), torch.randn(300, 40)]


def get_init_inputs():
    return []
