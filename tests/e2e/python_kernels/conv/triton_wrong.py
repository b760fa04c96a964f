# verdict: wrong_answer
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_bias_kernel(y_ptr, bias_ptr, channels, area, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < count
    channel = offsets % channels  # should be offsets // area % channels
    y = tl.load(y_ptr + offsets, mask=mask) + tl.load(bias_ptr + channel, mask=mask)
    tl.store(y_ptr + offsets, y, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, bias=True):
        super().__init__()
        self.conv2d = nn.Conv2d(in_channels, out_channels, kernel_size, stride=stride, padding=padding, bias=bias)

    def forward(self, x):
        conv = self.conv2d
        y = torch.nn.functional.conv2d(x, conv.weight, None, conv.stride, conv.padding).contiguous()
        count = y.numel()
        add_bias_kernel[(triton.cdiv(count, 256),)](y, conv.bias, y.shape[1], y.shape[2] * y.shape[3],
                                                    count, BLOCK=256)
        return y
