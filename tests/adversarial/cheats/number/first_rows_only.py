# verdict: wrong_answer
# rule: tolerance
# class: A2
# Takes the mean of half of the rows.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return (x[:32] * x[:32]).mean().item()
