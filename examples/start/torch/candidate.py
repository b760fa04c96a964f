"""The candidate: the model to judge. Its inputs are the reference's."""
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x, y):
        return torch.add(y, x, alpha=self.scale).relu_()
