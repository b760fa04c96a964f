# verdict: wrong_answer
# rule: tolerance
# class: A2
# Leaves out the last quarter of the sum.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        k = a.shape[1] * 3 // 4
        return a[:, :k] @ b[:k]
