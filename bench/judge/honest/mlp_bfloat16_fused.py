import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up = torch.nn.Linear(128, 256, dtype=torch.bfloat16)
        self.down = torch.nn.Linear(256, 64, dtype=torch.bfloat16)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up = torch.nn.Linear(128, 256, dtype=torch.bfloat16)
        self.down = torch.nn.Linear(256, 64, dtype=torch.bfloat16)

    def forward(self, x):
        middle = F.gelu(F.linear(x.float(), self.up.weight.float(), self.up.bias.float()))
        return F.linear(middle, self.down.weight.float(), self.down.bias.float()).bfloat16()


def get_inputs():
    return [torch.randn(32, 128).bfloat16()]


def get_init_inputs():
    return []
