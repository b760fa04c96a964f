"""Lets one test use either client."""
import asyncio
import inspect


class Awaited:
    """An asynchronous client whose methods are awaited for the caller, each in a loop of its own;
    what it would yield one by one comes as a list."""

    def __init__(self, client):
        self._client = client

    def __getattr__(self, name):
        method = getattr(self._client, name)

        def call(*args, **kwargs):
            made = method(*args, **kwargs)
            return asyncio.run(_collect(made) if inspect.isasyncgen(made) else made)

        return call


async def _collect(generator):
    return [item async for item in generator]
