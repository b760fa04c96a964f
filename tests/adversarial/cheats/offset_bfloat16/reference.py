import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return (10 + torch.tanh(x.float())).bfloat16()


def get_inputs():
    return [torch.randn(64, 300).bfloat16()]


def get_init_inputs():
    return []
