# verdict: accepted
# Keeps what does not hang on the input: the two numbers of its formula, on the input's device.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.numbers = {}

    def forward(self, x):
        if x.device not in self.numbers:
            self.numbers[x.device] = torch.tensor([2.0, 1.0], device=x.device)
        two, one = self.numbers[x.device]
        return torch.clamp_min(torch.addcmul(one, x, two), 0)
