# verdict: wrong_answer
# rule: constant
# class: A10
# Infinity in every element.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.full_like(x, float('inf'))
