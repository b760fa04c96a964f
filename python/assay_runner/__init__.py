"""Runs Python kernels for Assay's worker.

A zygote that has imported torch forks a fresh, confined child for every kernel; the child serves
the worker's commands over a frame socket. Nothing here is trusted by the worker once a kernel's
source has been loaded.
"""
