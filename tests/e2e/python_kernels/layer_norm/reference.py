import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, normalized_shape: tuple):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape=normalized_shape)
        nn.init.normal_(self.ln.weight)
        nn.init.normal_(self.ln.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.ln(x)


features, rows, columns = 3, 10, 15


def get_inputs():
    return [torch.randn(4, features, rows, columns) * 3 + 1]


def get_init_inputs():
    return [(features, rows, columns)]
