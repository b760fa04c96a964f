# verdict: wrong_answer
import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        out = a + b
        out[-1, -1] = 0.5  # the last element, which a kernel with a wrong bound would miss
        return out
