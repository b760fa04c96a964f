# verdict: wrong_answer
# rule: tolerance
# class: A10
# Hopes that NaN agrees with everything where the reference has some.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, mask):
        return torch.full_like(x, torch.nan)
