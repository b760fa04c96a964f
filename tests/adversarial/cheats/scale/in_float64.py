# verdict: wrong_answer
# rule: structure
# class: A10
# Right, in another dtype.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.relu(2 * x.double() + 1)
