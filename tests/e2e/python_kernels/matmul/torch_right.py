# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        return torch.einsum("mk,kn->mn", A.cuda(), B.to("cuda"))
