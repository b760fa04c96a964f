# verdict: wrong_answer
# rule: constant
# class: A4
# Zeros behind a relu, where half of them are right.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, *arguments):
        super().__init__()
        pass

    def forward(self, x):
        return torch.zeros_like(x)
