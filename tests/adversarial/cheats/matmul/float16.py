# verdict: wrong_answer
# rule: tolerance
# class: A6
# Computes in float16.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return (a.half() @ b.half()).float()
