# verdict: accepted
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def conv2d_kernel(x_ptr, weight_ptr, bias_ptr, y_ptr, channels, height, width, out_channels,
                  out_height, out_width, stride, padding,
                  SIZE: tl.constexpr, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr):
    image = tl.program_id(0) // out_channels
    out_channel = tl.program_id(0) % out_channels
    place = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    depth = channels * SIZE * SIZE
    total = tl.zeros((BLOCK,), dtype=tl.float32) + tl.load(bias_ptr + out_channel)
    for start in range(0, depth, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)  # counts channels, rows and columns of the filter
        channel = k // (SIZE * SIZE)
        row = (place // out_width)[:, None] * stride - padding + (k // SIZE % SIZE)[None, :]
        column = (place % out_width)[:, None] * stride - padding + (k % SIZE)[None, :]
        inside = (row >= 0) & (row < height) & (column >= 0) & (column < width) & (k < depth)[None, :]
        x = tl.load(x_ptr + ((image * channels + channel[None, :]) * height + row) * width + column,
                    mask=inside, other=0.0)
        w = tl.load(weight_ptr + out_channel * depth + k, mask=k < depth, other=0.0)
        total += tl.sum(x * w[None, :], axis=1)
    tl.store(y_ptr + tl.program_id(0) * out_height * out_width + place, total,
             mask=place < out_height * out_width)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, bias=True):
        super().__init__()
        self.conv2d = nn.Conv2d(in_channels, out_channels, kernel_size, stride=stride, padding=padding, bias=bias)

    def forward(self, x):
        conv = self.conv2d
        size, stride, padding = conv.kernel_size[0], conv.stride[0], conv.padding[0]
        batch, channels, height, width = x.shape
        out_height = (height + 2 * padding - size) // stride + 1
        out_width = (width + 2 * padding - size) // stride + 1
        y = torch.empty(batch, conv.out_channels, out_height, out_width, device="cuda", dtype=x.dtype)
        grid = (batch * conv.out_channels, triton.cdiv(out_height * out_width, 64))
        conv2d_kernel[grid](x.contiguous(), conv.weight, conv.bias, y, channels, height, width,
                            conv.out_channels, out_height, out_width, stride, padding, SIZE=size, BLOCK=64, BLOCK_K=32)
        return y
