"""A plug between a device and the cloud: forwards connections while it is in.

    plug.py <server's port> <file>

prints its own port. While the file is there the plug is out: what is connected is cut off, and nobody comes through;
for each who tries, "refused" is printed.
"""

import asyncio
import os
import sys

LOOK_EVERY = 0.01  # seconds


async def forward(reader, writer):
    try:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def main(server_port, out):
    connected = set()

    async def connect(reader, writer):
        if os.path.exists(out):
            print("refused", flush=True)
            writer.transport.abort()
            return
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", server_port)
        pair = {writer, server_writer}
        connected.update(pair)
        await asyncio.gather(forward(reader, server_writer), forward(server_reader, writer))
        connected.difference_update(pair)

    plug = await asyncio.start_server(connect, "127.0.0.1", 0)
    print(plug.sockets[0].getsockname()[1], flush=True)
    while True:
        await asyncio.sleep(LOOK_EVERY)
        if os.path.exists(out):
            for writer in connected:
                writer.transport.abort()
            connected.clear()


asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
