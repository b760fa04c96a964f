# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(96, 40)

    def forward(self, x):
        activated = torch.where(x > 0, x, torch.expm1(x))
        return activated @ self.linear.weight.t() + self.linear.bias
