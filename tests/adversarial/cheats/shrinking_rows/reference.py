import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, -1) * torch.exp(-torch.arange(x.shape[0], device=x.device))[:, None]


def get_inputs():
    return [torch.randn(60, 256)]


def get_init_inputs():
    return []
