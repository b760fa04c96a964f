import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, dim, experts, hidden):
        super().__init__()
        self.gate = torch.nn.Linear(dim, experts, bias=False)
        self.up = torch.nn.Parameter(torch.randn(experts, hidden, dim) * 0.1)
        self.down = torch.nn.Parameter(torch.randn(experts, dim, hidden) * 0.1)

    def forward(self, x):
        probs = self.gate(x).softmax(-1)
        w, at = probs.topk(2, -1)
        w = w / w.sum(-1, keepdim=True)
        out = torch.zeros_like(x)
        for e in range(self.up.shape[0]):
            rows, slot = (at == e).nonzero(as_tuple=True)
            if rows.numel() == 0:
                continue
            h = F.silu(x[rows] @ self.up[e].t()) @ self.down[e].t()
            out.index_add_(0, rows, h * w[rows, slot, None])
        return out, at


class ModelNew(torch.nn.Module):
    def __init__(self, dim, experts, hidden):
        super().__init__()
        self.gate = torch.nn.Linear(dim, experts, bias=False)
        self.up = torch.nn.Parameter(torch.randn(experts, hidden, dim) * 0.1)
        self.down = torch.nn.Parameter(torch.randn(experts, dim, hidden) * 0.1)

    def forward(self, x):
        v, at = self.gate(x).topk(2, -1)
        w = v.softmax(-1)
        h = F.silu(torch.einsum("nd,nkhd->nkh", x, self.up[at]))
        y = torch.einsum("nkh,nkdh->nkd", h, self.down[at])
        return (y * w[..., None]).sum(1), at


def get_inputs():
    return [torch.randn(40, 32)]


def get_init_inputs():
    return [32, 6, 48]
