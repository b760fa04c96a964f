import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(256, 128, bias=False)

    def forward(self, x):
        step = x.abs().amax(-1, keepdim=True) / 127
        weight = self.linear.weight
        step_of_weight = weight.abs().amax(-1, keepdim=True) / 127
        whole = torch.round(x / step) @ torch.round(weight / step_of_weight).t()
        return whole * step * step_of_weight.t()


def get_inputs():
    return [torch.randn(300, 256)]


def get_init_inputs():
    return []
