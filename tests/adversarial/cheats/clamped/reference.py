import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.tanh(torch.clamp(x, -8, 8) / 8) + torch.nn.functional.hardtanh(x, -6, 6)


def get_inputs():
    return [torch.randn(64, 130)]


def get_init_inputs():
    return []
