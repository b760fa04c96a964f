# verdict: wrong_answer
# rule: small_rows
# class: A4
# Leaves out rows that are smaller than the tolerance of the whole.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.cat([torch.tanh(x[:100]), torch.zeros_like(x[100:])])
