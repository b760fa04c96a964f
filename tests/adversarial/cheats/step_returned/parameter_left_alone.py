# verdict: wrong_answer
# rule: small_change
# class: A5
# Returns the parameter as it was: a step is less than the tolerance allows.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, parameter, gradient, momentum):
        momentum.mul_(0.9).add_(gradient)
        return parameter
