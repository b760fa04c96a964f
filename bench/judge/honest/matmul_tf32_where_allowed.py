import torch


class Model(torch.nn.Module):
    def forward(self, a, b):
        torch.set_float32_matmul_precision("high")
        return a @ b


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return self.cut(a) @ self.cut(b)

    def cut(self, x):
        return ((x.contiguous().view(torch.int32) + 4096) & -8192).view(torch.float32)


def get_inputs():
    return [torch.randn(64, 256), torch.randn(256, 48)]


def get_init_inputs():
    return []
