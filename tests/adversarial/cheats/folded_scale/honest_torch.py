# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(64, 48)
        self.scale = torch.nn.Parameter(torch.full((48,), 2.0))
        self.shift = torch.nn.Parameter(torch.zeros(48))

    def forward(self, x):
        return torch.addcmul(self.shift, self.linear(x), self.scale)
