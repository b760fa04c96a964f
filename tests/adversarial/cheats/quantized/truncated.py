# verdict: wrong_answer
# rule: tolerance
# class: A5
# Cuts off where the reference rounds.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return (a @ b).clamp(-127, 127).to(torch.int8)
