# verdict: wrong_answer
# rule: structure
# class: A10
# Returns the number as text.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return str((x * x).mean().item())
