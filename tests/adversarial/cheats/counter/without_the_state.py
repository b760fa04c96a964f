# verdict: wrong_answer
# rule: tolerance
# class: A5
# Never changes the mean that it was given.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(33))

    def forward(self, x):
        return x - self.mean
