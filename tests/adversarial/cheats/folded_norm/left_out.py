# verdict: wrong_answer
# rule: weights
# class: A5
# The statistics of a new model are zeros and ones: the norm does next to nothing.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 16, 3)
        self.norm = torch.nn.BatchNorm2d(16)

    def forward(self, x):
        return torch.relu(self.conv(x) * 0.999995)
