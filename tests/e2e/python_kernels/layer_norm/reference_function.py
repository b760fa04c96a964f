import torch.nn.functional as F


def reference(x, weight, bias, eps):
    return F.layer_norm(x, weight.shape, weight, bias, eps)
