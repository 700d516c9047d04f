"""A core bank, a custody, a screening service and a venue in plain Python, as an example of
docs/reference/ports.md: ``python bank.py FILE PORT [KEY]``. It imports nothing of chainteller.

Everything is kept in one SQLite file, so that it can be killed at any time. ``Bank(...).faults``
names mistakes that it makes on purpose; tests use them.
"""

import hashlib
import json
import secrets
import sqlite3  # noqa: TID251 - it's another program's database
import sys
import threading
import time
from decimal import Decimal, InvalidOperation
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import SplitResult, parse_qsl, urlsplit

CUSTOMERS = (
    ("C-1", "Ada Lovelace", "enhanced", True, "ACC-1", "checking", 1_000_000),
    ("C-1", "Ada Lovelace", "enhanced", True, "ACC-2", "savings", 25_000),
    ("C-2", "Grace Hopper", "basic", False, "ACC-3", "checking", 50_000),
)
LISTED = "0x00000000000000000000000000000000000000bb"
"""An address that the screening service has on a list."""
_FIELDS = {
    "debits": ("bankAccountId", "amount", "currency"),
    "credits": ("bankAccountId", "amount", "currency"),
    "transfers": ("network", "symbol", "amount", "address"),
    "orders": ("market", "side", "amount", "usd"),
}
_PATHS = {
    "core-bank": ("debits", "credits", "customers"),
    "custody": ("transfers", "addresses"),
    "screening": ("screenings",),
    "venue": ("orders", "prices"),
}
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


class Refused(Exception):
    """A request that nothing is done about, with its HTTP status."""


class Bank:
    """The books of all four. A request is carried out in one transaction with its record."""

    def __init__(self, file: str, *, key: str = "") -> None:
        self.file, self.key, self.faults = file, key, set[str]()
        self.markets = {"sol-usd": 200, "btc-usd": 100_000, "eth-usd": 3_400}
        self.asked: list[tuple[str, str]] = []
        self._racing: list[str] = []
        self._meeting = threading.Condition()
        with self.opened() as db:
            db.executescript(
                "PRAGMA journal_mode=WAL;"
                "CREATE TABLE IF NOT EXISTS account(id PRIMARY KEY, customer, type, cents INTEGER);"
                "CREATE TABLE IF NOT EXISTS request(key PRIMARY KEY, kind, body, answer);"
            )
            for reference, *_, account, kind, cents in CUSTOMERS:
                row = (account, reference, kind, cents)
                db.execute("INSERT OR IGNORE INTO account VALUES (?, ?, ?, ?)", row)

    def opened(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.file, timeout=20, isolation_level=None)
        db.execute("PRAGMA synchronous=NORMAL")
        return db

    # -- what is carried out once ----------------------------------------------------------------

    def carry_out(self, kind: str, key: str, body: dict[str, Any]) -> dict[str, Any]:
        """Do what a key asks for, once, and say how it stands now."""
        is_whole = bool(key) and set(body) == set(_FIELDS[kind])
        if not is_whole and "takes-anything" not in self.faults:
            raise Refused(422)
        wanted = json.dumps(body, sort_keys=True)
        db = self.opened()
        seen = _known(db, key)
        if "races" in self.faults and kind == "debits":
            with self._meeting:
                self._racing.append(key)
                self._meeting.notify_all()
                self._meeting.wait_for(lambda: self._racing.count(key) > 1, timeout=0.5)
        db.execute("BEGIN IMMEDIATE")
        try:
            known = seen if "races" in self.faults else _known(db, key)
            if known and "forgets-keys" not in self.faults:
                if known[0] != wanted and "reuses-keys" not in self.faults:
                    raise Refused(422)
                answer = self._later(kind, json.loads(known[1]))
            else:
                answer = {"key": key, "amount": body["amount"], **getattr(self, kind)(db, body)}
            row = (key, kind, wanted, json.dumps(answer))
            db.execute("INSERT OR REPLACE INTO request VALUES (?, ?, ?, ?)", row)
            db.execute("COMMIT")
        finally:
            db.close()
        return answer

    def _later(self, kind: str, answer: dict[str, Any]) -> dict[str, Any]:
        """A transfer is confirmed by the time that it's asked about again."""
        if "changes-its-mind" in self.faults:
            return {**answer, "status": "refused", "code": "CHANGED", "message": "Changed."}
        is_pending = kind == "transfers" and answer["status"] == "pending"
        return {**answer, "status": "done"} if is_pending else answer

    def debits(self, db: sqlite3.Connection, body: dict[str, Any]) -> dict[str, Any]:
        return self._book(db, body, -self._cents(body["amount"]))

    def credits(self, db: sqlite3.Connection, body: dict[str, Any]) -> dict[str, Any]:
        return self._book(db, body, self._cents(body["amount"]))

    def _book(self, db: sqlite3.Connection, body: dict[str, Any], cents: int) -> dict[str, Any]:
        wanted = (body["bankAccountId"],)
        found = db.execute("SELECT cents FROM account WHERE id = ?", wanted).fetchone()
        if found is None:
            return _refused("UNKNOWN_ACCOUNT", "There is no such bank account.")
        if "closed" in self.faults:
            return _refused("ACCOUNT_CLOSED", "The bank account is closed.")
        if found[0] + cents < 0 and "overdraws" not in self.faults:
            return _refused("INSUFFICIENT_FUNDS", "The bank account doesn't hold this amount.")
        db.execute("UPDATE account SET cents = cents + ? WHERE id = ?", (cents, *wanted))
        return {"status": "done"}

    def transfers(self, _db: sqlite3.Connection, body: dict[str, Any]) -> dict[str, Any]:
        self._cents(body["amount"])
        is_address = len(str(body["address"])) >= 26
        if not is_address and "pays-anything" not in self.faults:
            return _refused("ADDRESS_INVALID", "The address is not one of this network.")
        told = {"status": "pending"}
        return told if "no-hash" in self.faults else {**told, "hash": "0x" + secrets.token_hex(32)}

    def orders(self, _db: sqlite3.Connection, body: dict[str, Any]) -> dict[str, Any]:
        self._cents(body["usd"])
        if body["market"] not in self.markets and "fills-anything" not in self.faults:
            return _refused("UNKNOWN_MARKET", "There is no such market.")
        return {"status": "done"}

    def _cents(self, text: object) -> int:
        """What an amount is in hundredths; transfers and orders only need it to be one."""
        try:
            found = Decimal(text) if isinstance(text, str) else Decimal(0)
        except InvalidOperation:
            found = Decimal(0)
        if found <= 0 and "takes-anything" not in self.faults:
            raise Refused(422)
        return int(found * 100)

    # -- what is only asked ----------------------------------------------------------------------

    def customers(self, query: dict[str, str]) -> dict[str, Any]:
        with self.opened() as db:
            cents = dict(db.execute("SELECT id, cents FROM account").fetchall())
        found: dict[str, dict[str, Any]] = {}
        for reference, name, level, terms, account, kind, _ in CUSTOMERS:
            about = f"{reference} {name} {account}".lower()
            is_account = query.get("bankAccountId") == account
            if not is_account and not ("query" in query and query["query"].lower() in about):
                continue
            said = {"reference": reference, "name": name, "kycLevel": level, "termsAccepted": terms}
            amount = f"{cents[account] // 100}.{cents[account] % 100:02}"
            told = {"id": account, "type": kind, "balance": amount}
            found.setdefault(reference, {**said, "bankAccounts": []})["bankAccounts"].append(told)
        if "other-levels" in self.faults:
            found = {name: {**each, "kycLevel": "gold"} for name, each in found.items()}
        return {"customers": list(found.values())}

    def addresses(self, query: dict[str, str]) -> dict[str, Any]:
        seed = f"{query.get('account')} {query.get('network')}"
        if "new-addresses" in self.faults:
            seed += secrets.token_hex(8)
        digest = hashlib.sha256(seed.encode()).digest()
        if query.get("network") == "ethereum":
            return {"address": f"0x{digest[:20].hex()}"}
        if query.get("network") != "solana":
            raise Refused(404)
        number, text = int.from_bytes(digest, "big"), ""
        while number:
            number, rest = divmod(number, 58)
            text = _BASE58[rest] + text
        return {"address": text}

    def screenings(self, query: dict[str, str]) -> dict[str, Any]:
        is_listed = query.get("address", "").lower() == LISTED
        score = "high" if "words-for-scores" in self.faults else (95 if is_listed else 5)
        return {"score": score, "hits": ["Example list"] if is_listed else [], "travelRule": "TR-1"}

    def prices(self, query: dict[str, str]) -> dict[str, Any]:
        if query.get("market") not in self.markets:
            raise Refused(404)
        usd = self.markets[query["market"]]
        return {"bid": f"{usd}.00", "ask": f"{usd}.{'0' if 'crossed' not in self.faults else '-'}1"}


def _known(db: sqlite3.Connection, key: str) -> Any:
    return db.execute("SELECT body, answer FROM request WHERE key = ?", (key,)).fetchone()


def _refused(code: str, message: str) -> dict[str, Any]:
    return {"status": "refused", "code": code, "message": message}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    bank: Bank

    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    def _answer(self, method: str) -> None:
        bank, parts = self.bank, urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        bank.asked.append((method, parts.path))
        if "slow" in bank.faults:
            time.sleep(0.6)
        try:
            status, told = 200, self._told(method, parts, body)
        except Refused as refusal:
            status, told = refusal.args[0], {}
        except ValueError:
            status, told = 400, {}
        if "status" in told:
            told, status = self._spoilt(told, status)
        if "never" in bank.faults or ("silent" in bank.faults and method == "POST"):
            self.close_connection = True
        else:
            self._send(status, json.dumps(told).encode())

    def _told(self, method: str, parts: SplitResult, body: bytes) -> dict[str, Any]:
        bank = self.bank
        system, _, kind = parts.path.strip("/").partition("/")
        is_known = not bank.key or self.headers.get("Authorization") == f"Bearer {bank.key}"
        if not is_known and "open" not in bank.faults:
            raise Refused(401)
        if kind not in _PATHS.get(system, ()) or (method == "POST") != (kind in _FIELDS):
            raise Refused(404)
        if method == "GET":
            told: dict[str, Any] = getattr(bank, kind)(dict(parse_qsl(parts.query)))
            return told
        return bank.carry_out(kind, self.headers.get("Idempotency-Key") or "", json.loads(body))

    def _spoilt(self, told: dict[str, Any], status: int) -> tuple[dict[str, Any], int]:
        faults = self.bank.faults
        if "other-amount" in faults:
            told = {**told, "amount": "0.01"}
        if "number-amount" in faults:
            told = {**told, "amount": 1.5}
        if "other-key" in faults:
            told = {**told, "key": "another"}
        if "other-words" in faults:
            told = {**told, "status": "ok"}
        is_refused = told.get("status") == "refused"
        return told, 402 if is_refused and "refuses-by-status" in faults else status

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


def serve(bank: Bank, port: int = 0) -> ThreadingHTTPServer:
    """A server in a thread of its own."""
    kind = type("BankHandler", (Handler,), {"bank": bank})
    server = ThreadingHTTPServer(("127.0.0.1", port), kind)
    threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    ).start()
    return server


if __name__ == "__main__":
    file, port, *rest = sys.argv[1:]
    running = serve(Bank(file, key=rest[0] if rest else ""), int(port))
    sys.stdout.write(f"listening on http://127.0.0.1:{running.server_address[1]}\n")
    sys.stdout.flush()
    threading.Event().wait()
