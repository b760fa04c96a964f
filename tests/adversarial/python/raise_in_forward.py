# verdict: crashed
# says: ValueError: the width is odd
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        raise ValueError("the width is odd")
