import torch


class Model(torch.nn.Module):
    def forward(self, x, offsets):
        out = []
        for i in range(offsets.numel() - 1):
            part = x[int(offsets[i]):int(offsets[i + 1])]
            out.append(part.max(0).values if part.shape[0] else torch.zeros(x.shape[1], device=x.device))
        return torch.stack(out)


class ModelNew(torch.nn.Module):
    def forward(self, x, offsets):
        n = offsets.numel() - 1
        seg = torch.bucketize(torch.arange(x.shape[0], device=x.device), offsets[1:], right=True)
        inside = seg < n
        out = torch.full((n + 1, x.shape[1]), float("-inf"), device=x.device)
        out.scatter_reduce_(0, seg.clamp(max=n)[:, None].expand_as(x), x, "amax")
        out = out[:n]
        return torch.where(out.isinf(), torch.zeros_like(out), out)


def get_inputs():
    lengths = torch.randint(1, 20, (12,))
    offsets = torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)])
    offsets = (offsets * 120 // offsets[-1]).clamp(max=120)
    return [torch.randn(120, 24), offsets]


def get_init_inputs():
    return []
