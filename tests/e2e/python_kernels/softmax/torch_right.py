# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        grown = torch.exp(x - x.amax(self.dim, keepdim=True))
        return grown / grown.sum(self.dim, keepdim=True)
