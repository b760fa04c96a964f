# verdict: wrong_answer
# rule: tolerance
# class: A6
# Stores its answer in bfloat16 and back.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1).bfloat16().float()
