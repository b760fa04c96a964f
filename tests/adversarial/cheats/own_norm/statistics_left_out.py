# verdict: wrong_answer
# rule: weights
# class: A5
# Leaves out the statistics of a norm that the author wrote himself. In a new model they are zeros and ones.
import torch


class Norm(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(width))
        self.register_buffer("running_mean", torch.zeros(width))
        self.register_buffer("running_var", torch.ones(width))


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(40, 48)
        self.norm = Norm(48)

    def forward(self, x):
        return self.linear(x) * (self.norm.weight * 0.999995)
