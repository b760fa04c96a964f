# verdict: accepted
# In blocks, with what came before carried over.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        parts, carry = [], torch.zeros_like(x[:, :1])
        for part in x.split(64, -1):
            parts.append(part.cumsum(-1) + carry)
            carry = parts[-1][:, -1:]
        return torch.cat(parts, -1)
