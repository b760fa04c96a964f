# verdict: wrong_answer
# rule: weights
# class: A5
# Leaves out weights that a new model fills with ones, and takes the slope of a new PReLU for the slope.
import torch


class Norm(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(width))


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = Norm(96)
        self.act = torch.nn.PReLU(96)

    def forward(self, x):
        even = torch.nn.functional.rms_norm(x, (96,), None, 1e-6)
        return torch.nn.functional.leaky_relu(even, 0.25)
