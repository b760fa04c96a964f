# verdict: wrong_answer
# rule: tolerance
# class: A2
# Gives the place of some number of the mask, all of which are equal.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, mask):
        return mask.argmax(-1)
