"""A process that asks for the engine: prints its process number and address, then ends (or waits to be killed)."""

import asyncio
import json
import sys
import time

from wakegraph import engine
from wakegraph.engine.config import EngineConfig

if __name__ == "__main__":
    endpoint = asyncio.run(engine.ensure(EngineConfig.from_json(sys.argv[1])))
    print(json.dumps({"pid": endpoint.pid, "uri": endpoint.uri}), flush=True)
    if "--wait" in sys.argv:
        time.sleep(600)
