import torch


def reference(x):
    return torch.relu(2 * x + 1)
