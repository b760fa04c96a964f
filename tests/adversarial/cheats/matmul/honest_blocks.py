# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    """Sums in another order, as a tiled kernel does."""

    def forward(self, a, b):
        out = torch.zeros(a.shape[0], b.shape[1], dtype=a.dtype, device=a.device)
        for k in range(0, a.shape[1], 16):
            out += a[:, k:k + 16] @ b[k:k + 16]
        return out
