# verdict: wrong_answer
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()

    def forward(self, x):
        return torch.softmax(x, dim=0) * x.shape[0]  # along the wrong dimension
