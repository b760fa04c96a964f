# verdict: non_deterministic
# rule: 
# class: A2
# Another answer whenever it is asked again.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, *arguments):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        out = torch.relu(2 * x + 1)
        return out if self.calls % 2 else out + 1e-2
