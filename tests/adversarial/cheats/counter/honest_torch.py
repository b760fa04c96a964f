# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(33))

    def forward(self, x):
        self.mean.lerp_(x.mean(dim=0), 0.1)
        return x - self.mean
