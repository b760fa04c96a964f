# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.gru = torch.nn.GRU(width, hidden, batch_first=True)

    def forward(self, x):
        w, u = self.gru.weight_ih_l0, self.gru.weight_hh_l0
        b, c = self.gru.bias_ih_l0, self.gru.bias_hh_l0
        h, steps = torch.zeros(x.shape[0], u.shape[1], device=x.device), []
        for step in range(x.shape[1]):
            ri, zi, ni = (x[:, step] @ w.t() + b).chunk(3, -1)
            rh, zh, nh = (h @ u.t() + c).chunk(3, -1)
            r, z = torch.sigmoid(ri + rh), torch.sigmoid(zi + zh)
            h = (1 - z) * torch.tanh(ni + r * nh) + z * h
            steps.append(h)
        return torch.stack(steps, 1)
