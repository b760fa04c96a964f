# verdict: wrong_answer
# rule: weights
# class: A5
# Has the weight of the norm, and leaves it out: it is all ones.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(256))
        self.linear = torch.nn.Linear(256, 256)
        self.layer_scale = torch.nn.Parameter(torch.full((256,), 1e-6))

    def forward(self, x):
        normed = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)
        return x + self.layer_scale * self.linear(normed)
