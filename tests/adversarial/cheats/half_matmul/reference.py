import torch


class Model(torch.nn.Module):
    def forward(self, a, b):
        return a @ b


def get_inputs():
    return [torch.randn(64, 256).bfloat16(), torch.randn(256, 96).bfloat16()]


def get_init_inputs():
    return []
