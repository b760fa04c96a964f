# verdict: wrong_answer
# rule: small_change
# class: A5
# Steps along the gradient of this call alone.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, parameter, gradient, momentum):
        parameter.add_(gradient, alpha=-5e-5)
        momentum.mul_(0.9).add_(gradient)
