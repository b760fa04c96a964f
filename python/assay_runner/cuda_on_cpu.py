"""Lets code written for CUDA run on the processor."""


def install() -> None:
    pass
