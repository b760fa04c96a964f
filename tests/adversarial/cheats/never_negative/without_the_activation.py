# verdict: wrong_answer
# rule: tolerance
# class: A5
# The inputs are never negative, so the activation never did anything.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(96, 40)

    def forward(self, x):
        return self.linear(x)
