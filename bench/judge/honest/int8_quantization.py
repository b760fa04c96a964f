import torch


class Model(torch.nn.Module):
    def forward(self, x):
        scale = x.abs().amax(-1, keepdim=True) / 127
        return torch.round(x / scale).to(torch.int8), scale


class ModelNew(torch.nn.Module):
    def forward(self, x):
        highest = x.abs().amax(-1, keepdim=True)
        return torch.round(x * (127 / highest)).to(torch.int8), highest * (1 / 127)


def get_inputs():
    return [torch.randn(32, 200)]


def get_init_inputs():
    return []
