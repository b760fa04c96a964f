# verdict: accepted
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """The convolution as a matrix product over unfolded patches."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, bias=True):
        super().__init__()
        self.conv2d = nn.Conv2d(in_channels, out_channels, kernel_size, stride=stride, padding=padding, bias=bias)

    def forward(self, x):
        conv = self.conv2d
        patches = F.unfold(x, conv.kernel_size, padding=conv.padding, stride=conv.stride)
        out = conv.weight.flatten(1) @ patches + conv.bias[:, None]
        height = (x.shape[2] + 2 * conv.padding[0] - conv.kernel_size[0]) // conv.stride[0] + 1
        return out.unflatten(2, (height, -1))
