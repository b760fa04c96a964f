import torch


class Model(torch.nn.Module):
    def forward(self, x, mask):
        return (x + mask).argmax(-1)


def get_inputs():
    return [torch.randn(64, 300), torch.zeros(64, 300)]


def get_init_inputs():
    return []
