# verdict: wrong_answer
# rule: structure
# class: A10
# A shape that would be broadcast.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.relu(2 * x[:, :1] + 1)
