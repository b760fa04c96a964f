import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.cat([torch.tanh(x[:100]), torch.tanh(x[100:]) * 1e-6])


def get_inputs():
    return [torch.randn(190, 256)]


def get_init_inputs():
    return []
