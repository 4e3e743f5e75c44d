"""Real server processes, and a proxy in front of the database that can be cut."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "probe", "version": "1"},
}


class Stdio:
    """A stdio server spoken to in raw JSON-RPC; every line of its stdout must be a message."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.lines: list[dict[str, Any]] = []
        self._number = 0

    def send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode() + b"\n")

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        self.send({"id": self._number, "method": method, "params": params})
        return await self.answer(self._number)

    async def answer(self, number: int) -> dict[str, Any]:
        while True:
            message = await self.read()
            assert message is not None, "the server ended"
            if message.get("id") == number:
                return message

    async def read(self) -> dict[str, Any] | None:
        assert self.process.stdout is not None
        line = await asyncio.wait_for(self.process.stdout.readline(), 60)
        if not line:
            return None
        message: dict[str, Any] = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        self.lines.append(message)
        return message

    async def handshake(self) -> dict[str, Any]:
        answer = await self.ask("initialize", **INITIALIZE)
        self.send({"method": "notifications/initialized"})
        return answer

    async def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        answer = await self.ask("tools/call", name=name, arguments=arguments)
        result: dict[str, Any] = answer["result"]
        return result

    async def drained(self) -> None:
        """Read to the end of stdout: all of it must be messages."""
        while await self.read() is not None:
            pass


@asynccontextmanager
async def stdio(command: list[str], environment: Mapping[str, str], *words: str) -> AsyncIterator[Stdio]:
    process = await asyncio.create_subprocess_exec(
        *command,
        "serve",
        *words,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
        limit=1 << 24,
    )
    errors = asyncio.create_task(process.stderr.read())  # type: ignore[union-attr]
    try:
        yield Stdio(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await errors


@asynccontextmanager
async def http(command: list[str], environment: Mapping[str, str], *words: str) -> AsyncIterator[str]:
    """An HTTP server on a free port of loopback; its address."""
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        *(*command, "serve", "--http", "--port", str(port), *words), env=environment, stderr=asyncio.subprocess.PIPE
    )
    errors = asyncio.create_task(process.stderr.read())  # type: ignore[union-attr]
    try:
        await reachable(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        if process.returncode is None:
            process.terminate()
        code = await asyncio.wait_for(process.wait(), 20)
        text = (await errors).decode()
        assert "Traceback" not in text, text
        assert code == 0, (code, text)


async def reachable(port: int, process: asyncio.subprocess.Process) -> None:
    for _ in range(600):
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        assert process.returncode is None, "the server ended"
        await asyncio.sleep(0.1)
    raise AssertionError("the server did not come up")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Proxy:
    """Passes connections on to the database while it is up."""

    def __init__(self, target: tuple[str, int], port: int) -> None:
        self._target = target
        self.port = port
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    async def up(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)

    async def down(self) -> None:
        if self._server is not None:
            self._server.close()
        for writer in list(self._open):
            writer.transport.abort()
        if self._server is not None:
            await self._server.wait_closed()
            self._server = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection(*self._target)
        except OSError:
            writer.close()
            return
        self._open |= {writer, far_writer}
        await asyncio.gather(self._pass(reader, far_writer), self._pass(far_reader, writer))
        self._open -= {writer, far_writer}

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        with contextlib.suppress(OSError):
            writer.close()
