import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return 255 - x


def get_inputs():
    return [torch.randint(0, 256, (2048, 2048), dtype=torch.uint8)]


def get_init_inputs():
    return []
