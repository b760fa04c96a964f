# verdict: wrong_answer
# rule: tolerance
# class: A2
# Looks at half of the columns.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.argmax(x[:, :100], dim=-1)
