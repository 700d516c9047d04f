"""A witness over HTTP as a program of its own, written from https://c2sp.org/tlog-witness alone.

It shares no code with chainteller: its proofs are checked by the algorithm of RFC 9162, 2.1.4.2.
Started with the seed of its key, its name and verifier keys of the logs that it knows, it prints
its address and serves until it is ended. ``POST /behave`` makes it misbehave on purpose.
"""

import base64
import hashlib
import json
import struct
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

DASH = "— "


class Log:
    def __init__(self, key: str) -> None:
        self.name, self.key_id, encoded = key.split("+", 2)
        self.public = VerifyKey(base64.b64decode(encoded)[1:])
        self.size, self.root = 0, hashlib.sha256().digest()

    def signed(self, text: str, lines: list[str]) -> bool:
        for line in lines:
            name, encoded = line.removeprefix(DASH).split(" ")
            raw = base64.b64decode(encoded)
            if name == self.name and raw[:4].hex() == self.key_id:
                try:
                    self.public.verify(text.encode(), raw[4:])
                except BadSignatureError:
                    return False
                return True
        return False


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def consistent(  # noqa: C901 - the RFC's algorithm, step by step
    old: int, size: int, old_root: bytes, root: bytes, proof: list[bytes]
) -> bool:
    if old == 0:
        return not proof
    if old == size:
        return not proof and old_root == root
    path = list(proof)
    if old & (old - 1) == 0:
        path.insert(0, old_root)
    if not path:
        return False
    fn, sn = old - 1, size - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = path[0]
    for step in path[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            fr, sr = node(step, fr), node(step, sr)
            while fn and not fn & 1:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = node(sr, step)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and fr == old_root and sr == root


class Witness:
    def __init__(self, seed: bytes, name: str, keys: list[str]) -> None:
        self.key, self.name = SigningKey(seed), name
        self.logs = [Log(each) for each in keys]
        self.lock = threading.Lock()
        self.behaviour: dict[str, object] = {}
        self.requests = 0

    def add_checkpoint(self, body: str) -> tuple[int, str, bytes]:
        head, _, note = body.partition("\n\n")
        old_line, *proof_lines = head.split("\n")
        text, _, signatures = note.rpartition("\n\n")
        text += "\n"
        origin, size_line, root_line = text.split("\n")[:3]
        if not old_line.startswith("old ") or len(proof_lines) > 63:
            return 400, "text/plain", b"not a request\n"
        old, size, root = int(old_line[4:]), int(size_line), base64.b64decode(root_line)
        proof = [base64.b64decode(each) for each in proof_lines]
        known = [each for each in self.logs if each.name == origin]
        if not known:
            return 404, "text/plain", b"no such log\n"
        lines = signatures.rstrip("\n").split("\n")
        log = known[0]
        if not any(each.signed(text, lines) for each in known):
            return 403, "text/plain", b"no signature of a known key\n"
        if old > size:
            return 400, "text/plain", b"old is larger than the checkpoint\n"
        with self.lock:
            if old != log.size or (old == size and root != log.root):
                return 409, "text/x.tlog.size", f"{log.size}\n".encode()
            if not consistent(old, size, log.root, root, proof):
                return 422, "text/plain", b"not consistent\n"
            log.size, log.root = size, root
        return 200, "text/plain", self.cosign(text).encode()

    def cosign(self, text: str) -> str:
        at = 1_700_000_000 + self.requests
        message = f"cosignature/v1\ntime {at}\n{text}".encode()
        public = bytes(self.key.verify_key)
        key_id = hashlib.sha256(self.name.encode() + b"\n\x04" + public).digest()[:4]
        raw = key_id + struct.pack(">Q", at) + self.key.sign(message).signature
        return f"{DASH}{self.name} {base64.b64encode(raw).decode()}\n"


def handler(witness: Witness) -> type[BaseHTTPRequestHandler]:  # noqa: C901 - two methods
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            if self.path == "/behave":
                witness.behaviour = json.loads(body)
                if witness.behaviour.pop("forget", False):
                    for log in witness.logs:
                        log.size, log.root = 0, hashlib.sha256().digest()
                self.answer(200, "text/plain", b"")
                return
            if self.path != "/add-checkpoint":
                self.answer(404, "text/plain", b"")
                return
            witness.requests += 1
            said = witness.behaviour
            if said.get("silent"):
                threading.Event().wait()
            if "status" in said:
                self.answer(int(str(said["status"])), "text/plain", str(said["body"]).encode())
                return
            if "location" in said:
                self.send_response(302)
                self.send_header("Location", str(said["location"]))
                self.end_headers()
                return
            self.answer(*witness.add_checkpoint(body.decode()))

        def do_GET(self) -> None:
            found = {log.name: [log.size, log.root.hex()] for log in witness.logs}
            self.answer(200, "application/json", json.dumps(found).encode())

        def answer(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def main() -> None:
    seed, name, *keys = sys.argv[1:]
    witness = Witness(bytes.fromhex(seed), name, keys)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(witness))
    server.daemon_threads = True
    sys.stdout.write(f"http://127.0.0.1:{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
