# verdict: wrong_answer
# rule: tolerance
# class: A5
# Leaves out the rounding to steps.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(256, 128, bias=False)

    def forward(self, x):
        return self.linear(x)
