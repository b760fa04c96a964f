# verdict: wrong_answer
# rule: tolerance
# class: A2
# All but the last row.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        out = a @ b
        out[-1] = 0
        return out
