# verdict: did_not_compile
# says: kernel.py", line 6
import torch

if torch.__version__:
    raise ImportError("no such kernel")
