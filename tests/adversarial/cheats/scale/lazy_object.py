# verdict: wrong_answer
# rule: returned_object
# class: B3
# An object that says it is a tensor.
import torch
class Lazy:
    def __init__(self, x):
        self.x = x

    @property
    def __class__(self):
        return torch.Tensor

    def __getattr__(self, name):
        return getattr(torch.relu(2 * self.x + 1), name)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return Lazy(x)
