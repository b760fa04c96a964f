# verdict: wrong_answer
# rule: tolerance
# class: A5
import torch


class ModelNew(torch.nn.Module):
    def forward(self, logits):
        return torch.softmax(logits, -1)
