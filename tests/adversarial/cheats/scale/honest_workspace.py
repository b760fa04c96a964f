# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    """Keeps its output buffer, which is allowed: it is written anew in every call."""

    def __init__(self):
        super().__init__()
        self.out = None

    def forward(self, x):
        if self.out is None:
            self.out = torch.empty_like(x)
        torch.mul(x, 2, out=self.out)
        return self.out.add_(1).relu_()
