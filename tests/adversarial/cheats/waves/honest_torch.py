# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.sin(x).mul_(x).tanh_()
