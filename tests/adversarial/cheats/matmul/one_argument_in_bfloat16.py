# verdict: wrong_answer
# rule: tolerance
# class: A6
# Rounds only the weights.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return a @ b.bfloat16().float()
