# verdict: wrong_answer
# rule: tolerance
# class: A10
# NaN, which some comparisons take for anything.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.full_like(x, float('nan')) * x
