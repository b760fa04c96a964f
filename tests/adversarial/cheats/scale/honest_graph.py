# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    """Replays a graph, with its input copied in."""

    def __init__(self):
        super().__init__()
        self.graph = None

    def forward(self, x):
        if self.graph is None:
            self.input = x.clone()
            torch.relu(2 * self.input + 1)
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.out = torch.relu(2 * self.input + 1)
        self.input.copy_(x)
        self.graph.replay()
        return self.out
