# verdict: wrong_answer
# rule: tolerance
# class: A2
# Begins anew in every block.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.cat([part.cumsum(-1) for part in x.split(64, -1)], -1)
