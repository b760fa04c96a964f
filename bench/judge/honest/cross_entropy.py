import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x, target):
        return F.cross_entropy(x, target)


class ModelNew(torch.nn.Module):
    def forward(self, x, target):
        highest = x.amax(1)
        log_sum = highest + torch.log(torch.exp(x - highest[:, None]).sum(1))
        return (log_sum - x.gather(1, target[:, None])[:, 0]).mean()


def get_inputs():
    return [torch.randn(128, 50), torch.randint(0, 50, (128,))]


def get_init_inputs():
    return []
