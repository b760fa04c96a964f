import torch


class Model(torch.nn.Module):
    def forward(self, parameter, gradient, momentum):
        momentum.mul_(0.9).add_(gradient)
        parameter.add_(momentum, alpha=-5e-5)
        return parameter


def get_inputs():
    return [torch.randn(50, 30), 2 * torch.rand(50, 30) - 1, 2 * torch.rand(50, 30) - 1]


def get_init_inputs():
    return []
