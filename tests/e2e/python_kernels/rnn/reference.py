import torch
import torch.nn as nn


class Model(nn.Module):
    """A plain recurrent network; every step's output and the last state."""

    def __init__(self, input_size: int, hidden_size: int, output_size: int):
        super().__init__()
        self.hidden_size = hidden_size
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)

    def forward(self, x: torch.Tensor, h0: torch.Tensor):
        hidden = h0
        outputs = []
        for step in range(x.size(0)):
            hidden = torch.tanh(self.i2h(torch.cat((x[step], hidden), dim=1)))
            outputs.append(self.h2o(hidden))
        return torch.stack(outputs), hidden


steps, batch, input_size, hidden_size, output_size = 3, 2, 12, 20, 7


def get_inputs():
    return [torch.randn(steps, batch, input_size), torch.randn(batch, hidden_size)]


def get_init_inputs():
    return [input_size, hidden_size, output_size]
