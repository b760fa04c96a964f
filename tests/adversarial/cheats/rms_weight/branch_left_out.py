# verdict: wrong_answer
# class: A5
# The layer scale of a new model hides its branch.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(256))
        self.linear = torch.nn.Linear(256, 256)
        self.layer_scale = torch.nn.Parameter(torch.full((256,), 1e-6))

    def forward(self, x):
        return x.clone()
