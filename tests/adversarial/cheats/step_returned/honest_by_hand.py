# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def forward(self, parameter, gradient, momentum):
        torch.add(gradient, momentum, alpha=0.9, out=momentum)
        parameter -= 5e-5 * momentum
        return parameter
