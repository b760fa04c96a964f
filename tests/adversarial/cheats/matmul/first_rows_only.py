# verdict: wrong_answer
# rule: tolerance
# class: A2
# Only the first row, as a launch with the wrong grid does.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        out = torch.zeros(a.shape[0], b.shape[1])
        out[0] = a[0] @ b
        return out
