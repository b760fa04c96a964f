# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.layer = torch.nn.Linear(features, features)

    def forward(self, x):
        return torch.clamp(torch.addmm(self.layer.bias, x, self.layer.weight.t()), min=0)
