import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.layer_norm(x, (100,))


class ModelNew(torch.nn.Module):
    def forward(self, x):
        mean = torch.zeros(x.shape[0])
        squares = torch.zeros(x.shape[0])
        for i in range(x.shape[1]):
            away = x[:, i] - mean
            mean = mean + away / (i + 1)
            squares = squares + away * (x[:, i] - mean)
        return (x - mean[:, None]) / torch.sqrt(squares / x.shape[1] + 1e-5)[:, None]


def get_inputs():
    return [torch.randn(48, 100)]


def get_init_inputs():
    return []
