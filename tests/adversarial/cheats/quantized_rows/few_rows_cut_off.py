# verdict: wrong_answer
# rule: tolerance
# class: A2
# Cuts off in the last rows where the reference rounds.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(256, 128, bias=False)

    def forward(self, x):
        step = x.abs().amax(-1, keepdim=True) / 127
        weight = self.linear.weight
        step_of_weight = weight.abs().amax(-1, keepdim=True) / 127
        steps = x / step
        steps = torch.cat([torch.round(steps[:-6]), torch.trunc(steps[-6:])])
        return (steps @ torch.round(weight / step_of_weight).t()) * step * step_of_weight.t()
