# verdict: wrong_answer
# rule: tolerance
# class: A1
# Answers with memory that may still hold the reference's answer.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.empty_like(x)
