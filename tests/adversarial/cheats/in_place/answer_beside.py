# verdict: wrong_answer
# rule: structure
# class: A10
# Gives the answer, and leaves the input that should hold it.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, y):
        return x * 2 + y
