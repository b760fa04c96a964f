# verdict: wrong_answer
# rule: structure
# class: A10
# Leaves out one of three answers.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return {"mean": x.mean(-1), "highest": x.amax(-1)}
