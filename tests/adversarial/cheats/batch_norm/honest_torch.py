# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    """Keeps its running mean as the reference does."""

    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(16)

    def forward(self, x):
        n = self.norm
        return torch.nn.functional.batch_norm(x, n.running_mean, n.running_var, n.weight, n.bias, True)
