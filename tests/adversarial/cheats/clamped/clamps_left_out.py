# verdict: wrong_answer
# rule: tolerance
# class: A5
# The author's numbers never reach the bounds.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.tanh(x / 8) + x
