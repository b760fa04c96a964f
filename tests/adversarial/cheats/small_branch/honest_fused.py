# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(64, 64)

    def forward(self, x):
        branch = torch.addmm(self.linear.bias, x, self.linear.weight.t())
        return torch.add(x, 2 * torch.sigmoid(2 * branch) - 1, alpha=1e-4)
