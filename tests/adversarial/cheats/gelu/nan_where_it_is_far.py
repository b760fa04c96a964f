# verdict: wrong_answer
# rule: tolerance
# class: A10
# Right where numbers are large, another function where they are as its inputs are, and NaN beyond.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        close = x * torch.sigmoid(1.702 * x)
        return torch.where(x.abs() < 5, close, float("nan"))
