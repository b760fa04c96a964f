# verdict: wrong_answer
# rule: tolerance
# class: A4
# The input itself, a hundred thousand times too large.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x.clone()
