# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    """Folds the norm into the convolution at the first call, and keeps that."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 16, 3)
        self.norm = torch.nn.BatchNorm2d(16)
        self.eval()
        self.folded = None

    def forward(self, x):
        if self.folded is None:
            self.folded = torch.nn.utils.fusion.fuse_conv_bn_eval(self.conv, self.norm)
        return torch.relu(self.folded(x))
