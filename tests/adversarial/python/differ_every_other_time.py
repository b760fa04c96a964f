# verdict: non_deterministic
# Right every other time.
import torch

calls = []


class ModelNew(torch.nn.Module):
    def forward(self, x):
        calls.append(1)
        return 2 * x + (len(calls) + 1) % 2
