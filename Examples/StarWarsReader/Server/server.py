"""A GraphQL server for the example, with graphql-core: python3 server.py [PORT]

Prints its address once it listens. With 0, the default, the system chooses the port.
"""

import json
import pathlib
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from graphql import build_schema, graphql_sync

folder = pathlib.Path(__file__).parent
schema = build_schema((folder / "../Sources/StarWarsReader/GraphQL/schema.graphqls").read_text())
data = json.loads((folder / "data.json").read_text())


def character(id):
    entry = data["characters"][id]
    return {
        **entry,
        "id": id,
        "__typename": entry["type"],
        "films": lambda info: [film(number) for number in data["films"] if id in data["films"][number]["characters"]],
        "friends": lambda info: [character(friend) for friend in entry["friends"]],
    }


def film(number):
    entry = data["films"][number]
    return {
        **entry,
        "episode": int(number),
        "characters": lambda info: [character(id) for id in entry["characters"]],
    }


class Root:
    def heroes(self, info, episode=None):
        ids = data["characters"] if episode is None else data["films"][str(episode)]["characters"]
        return [character(id) for id in ids]

    def film(self, info, episode):
        return film(str(episode)) if str(episode) in data["films"] else None

    def rename(self, info, id, name):
        data["characters"][id]["name"] = name
        return character(id)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        result = graphql_sync(
            schema,
            request["query"],
            Root(),
            variable_values=request.get("variables"),
            operation_name=request.get("operationName"),
        )
        body = json.dumps(result.formatted).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
