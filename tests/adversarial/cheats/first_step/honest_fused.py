# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def forward(self, weight, gradient, mean, square):
        mean.copy_(0.9 * mean + 0.1 * gradient)
        square.copy_(0.999 * square + 0.001 * gradient * gradient)
        weight.copy_(weight - 1e-3 * (mean * 10) / (torch.sqrt(square * 1000) + 1e-8))
