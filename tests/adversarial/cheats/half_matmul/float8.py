# verdict: wrong_answer
# rule: tolerance
# class: A6
# Multiplies 8-bit floats.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return (a.to(torch.float8_e4m3fn).float() @ b.to(torch.float8_e4m3fn).float()).bfloat16()
