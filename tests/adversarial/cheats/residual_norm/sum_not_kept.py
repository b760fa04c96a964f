# verdict: wrong_answer
# rule: tolerance
# class: A3
# Returns the norm, and leaves the sum out that the next layer needs.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, update):
        total = x + update
        return total * torch.rsqrt(total.square().mean(-1, keepdim=True) + 1e-6)
