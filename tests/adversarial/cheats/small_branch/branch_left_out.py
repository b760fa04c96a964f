# verdict: wrong_answer
# rule: small_change
# class: A5
# The branch adds less than the tolerance allows.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(64, 64)

    def forward(self, x):
        return x.clone()
