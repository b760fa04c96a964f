# verdict: wrong_answer
# rule: constant
# class: A4
# Zeros where all values are small against a common tolerance.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.zeros_like(x)
