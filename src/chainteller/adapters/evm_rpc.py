"""Chains behind plain JSON-RPC over HTTP: may a contract wallet's signature count?

The addresses are the operator's, and a provider is untrusted: replies are bounded in size and
time, redirects aren't followed, and a provider that doesn't answer, answers for another chain or
answers otherwise than the others is reported by name. Only reads are called, and no key is used.
"""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import httpx

from chainteller.adapters import bounded
from chainteller.adapters.bounded import TooLarge, answer_of
from chainteller.domain.json_depth import NestedTooDeeply, parse_json
from chainteller.wallets.contracts import (
    Block,
    ChainAnswer,
    CodeAnswer,
    Finality,
    Question,
    code_of,
)
from chainteller.wallets.family import Address, Network

DEADLINE_S = 5.0
MAXIMUM_REPLY_BYTES = 262_144
_REVERTED = "reverted"
_SETTLED = tuple(Finality)
"""The tags of a block for evidence, the strongest first; the last one where there's no other."""
_Found = TypeVar("_Found", bound=tuple[Any, ...])


class _Problem(Exception):
    """Why a provider's answer can't be used; its text is for the operator."""


@dataclass(frozen=True, slots=True)
class _Provider:
    """A provider by the name that people see: its host, never the path, which may hold a key."""

    name: str
    url: str


class _Known(NamedTuple):
    """A block's number, and what providers call it."""

    number: int
    finality: Finality


@dataclass(frozen=True, slots=True)
class EvmRpc:
    """The providers of each network, by the network's name."""

    addresses: Mapping[str, Sequence[str]]
    deadline_s: float = DEADLINE_S

    def serves(self, network: Network) -> bool:
        return bool(self.addresses.get(network.name))

    def ask(self, network: Network, question: Question, *, newest: bool = False) -> ChainAnswer:
        """Put a question to every provider of a network.

        They are asked at the newest block that all of them call finalized or safe. Where the wallet
        doesn't accept the signature there, and where ``newest`` is wanted, it's the newest block
        that all know.
        """
        return asyncio.run(self._ask(network, question, newest=newest))

    def code(self, address: Address) -> CodeAnswer:
        """What every provider has at an address, at the newest block that all know."""
        return asyncio.run(self._code(address))

    async def _ask(self, network: Network, question: Question, *, newest: bool) -> ChainAnswer:
        if not newest:
            answer = await self._ask_at(network, question, _SETTLED)
            if answer.is_valid or answer.block is None:
                return answer
        return await self._ask_at(network, question, (Finality.LATEST,))

    async def _ask_at(
        self, network: Network, question: Question, tags: Sequence[Finality]
    ) -> ChainAnswer:
        problems: dict[str, str] = {}
        known, found = await self._each(
            network, tags, functools.partial(_answer, question), problems
        )
        chain_id, answers = int(network.reference), {name: each[1] for name, each in found.items()}
        _compare(found, ("block", "answer", "code"), problems)
        has_code = bool(found) and all(each[2] for each in found.values())
        block = _block(known.number, found)
        return ChainAnswer(question, chain_id, block, answers, problems, has_code, known.finality)

    async def _code(self, address: Address) -> CodeAnswer:
        problems: dict[str, str] = {}
        asked = functools.partial(_coded, address.display)
        known, found = await self._each(address.network, (Finality.LATEST,), asked, problems)
        _compare(found, ("block", "code"), problems)
        block, names = _block(known.number, found), tuple(sorted(found))
        codes = [each[1] for each in found.values()]
        if problems or block is None or not codes:
            return CodeAnswer(None, None, names, problems)
        return CodeAnswer(code_of(codes[0]), block, names, problems)

    async def _each(
        self,
        network: Network,
        tags: Sequence[Finality],
        call: Callable[[httpx.AsyncClient, int, _Provider], Awaitable[_Found]],
        problems: dict[str, str],
    ) -> tuple[_Known, dict[str, _Found]]:
        """The newest block that all providers know by one of the tags, and what each answers at it.

        ``problems`` is filled with what was wrong with a provider.
        """
        chain_id, providers = int(network.reference), _named(self.addresses[network.name])
        async with bounded.client(self.deadline_s) as client:

            async def each(
                call: Callable[[_Provider], Awaitable[Any]],
            ) -> dict[str, Any]:
                asked = [provider for provider in providers if provider.name not in problems]
                outcomes = await asyncio.gather(
                    *(self._bounded(call(provider)) for provider in asked), return_exceptions=True
                )
                found = {}
                for provider, outcome in zip(asked, outcomes, strict=True):
                    if isinstance(outcome, BaseException):
                        problems[provider.name] = _told(outcome, self.deadline_s)
                    else:
                        found[provider.name] = outcome
                return found

            blocks = await each(functools.partial(_known_block, client, chain_id, tags))
            if not blocks:
                return _Known(0, Finality.LATEST), {}
            number = min(known.number for known in blocks.values())
            order = list(Finality)
            finality = max((known.finality for known in blocks.values()), key=order.index)
            return _Known(number, finality), await each(functools.partial(call, client, number))

    async def _bounded(self, answer: Awaitable[Any]) -> Any:
        async with asyncio.timeout(self.deadline_s):
            return await answer


def _compare(
    found: Mapping[str, tuple[object, ...]], parts: Sequence[str], problems: dict[str, str]
) -> None:
    """Where providers differ, each is reported with what it says itself."""
    for at, what in enumerate(parts):
        if len({each[at] for each in found.values()}) > 1:
            for name, each in found.items():
                problems.setdefault(name, f"another {what} than the others: {str(each[at])[:66]}")


def _block(number: int, found: Mapping[str, tuple[Any, ...]]) -> Block | None:
    return next((Block(number, each[0]) for each in found.values()), None)


async def _known_block(
    client: httpx.AsyncClient, chain_id: int, tags: Sequence[Finality], provider: _Provider
) -> _Known:
    """The block that a provider has for the first of the tags that it offers."""
    told = _number(await _result(client, provider, "eth_chainId", []))
    if told != chain_id:
        raise _Problem(f"it serves chain {told}, not {chain_id}")
    problem = _Problem("it doesn't know the block")
    for tag in tags:
        try:
            block = await _result(client, provider, "eth_getBlockByNumber", [tag.value, False])
            return _Known(_number(_field(block, "number")), tag)
        except _Problem as refused:
            problem = refused
    raise problem


async def _answer(
    question: Question, client: httpx.AsyncClient, number: int, provider: _Provider
) -> tuple[str, str, bool]:
    """Hash of the block, what the call returned, and whether the wallet has code."""
    block_hash, code = await _coded(question.wallet, client, number, provider)
    returned = await _result(client, provider, "eth_call", [question.call(), hex(number)])
    answer = returned if returned == _REVERTED else _hex(returned)
    return block_hash, answer, code != "0x"


async def _coded(
    address: str, client: httpx.AsyncClient, number: int, provider: _Provider
) -> tuple[str, str]:
    """Hash of the block, and the address's code at it."""
    at = hex(number)
    block = await _result(client, provider, "eth_getBlockByNumber", [at, False])
    if _number(_field(block, "number")) != number:
        raise _Problem("it answered with another block than was asked for")
    block_hash = _hex(_field(block, "hash"), 32)
    return block_hash, _hex(await _result(client, provider, "eth_getCode", [address, at]))


async def _result(
    client: httpx.AsyncClient, provider: _Provider, method: str, parameters: list[Any]
) -> Any:
    """The result of one call. Raises _Problem, TooLarge, httpx.HTTPError."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
    status, found = await answer_of(client, "POST", provider.url, MAXIMUM_REPLY_BYTES, json=asked)
    try:
        body = parse_json(found)
    except NestedTooDeeply:
        raise _Problem("its reply is nested too deeply") from None
    except ValueError:
        raise _Problem(f"its reply is no JSON (status {status})") from None
    if not isinstance(body, dict) or ("result" not in body and "error" not in body):
        raise _Problem("its reply is no JSON-RPC")
    if "result" in body:
        return body["result"]
    return _refused(method, body["error"])


def _refused(method: str, error: object) -> str:
    """A call that the contract itself reverted has an answer; any other error is a problem."""
    message = str(error.get("message", "")) if isinstance(error, dict) else ""
    code = error.get("code") if isinstance(error, dict) else None
    if method == "eth_call" and (code == 3 or "revert" in message.lower()):
        return _REVERTED
    reason = "".join(character for character in message[:100] if character.isprintable())
    raise _Problem(f"it refused {method}: {reason or 'without a reason'}")


def _field(block: object, name: str) -> object:
    if not isinstance(block, dict) or name not in block:
        raise _Problem("it doesn't know the block")
    return block[name]


def _number(value: object) -> int:
    if not isinstance(value, str) or not value.startswith("0x") or len(value) > 20:
        raise _Problem("its reply holds no number")
    try:
        return int(value, 16)
    except ValueError:
        raise _Problem("its reply holds no number") from None


def _hex(value: object, size: int | None = None) -> str:
    """Bytes in lower-case hex."""
    spelt = value[2:] if isinstance(value, str) and value.startswith("0x") else "?"
    try:
        raw = bytes.fromhex(spelt)
    except ValueError:
        raise _Problem("its reply holds no bytes") from None
    if size is not None and len(raw) != size:
        raise _Problem("its reply holds no hash")
    return "0x" + raw.hex()


def _told(outcome: BaseException, deadline_s: float) -> str:
    if isinstance(outcome, _Problem | TooLarge):
        return str(outcome)
    if isinstance(outcome, TimeoutError | httpx.TimeoutException):
        return f"no answer within {deadline_s:g} s"
    if isinstance(outcome, httpx.HTTPError):
        return f"it can't be reached: {type(outcome).__name__}"
    raise outcome


def _named(urls: Sequence[str]) -> tuple[_Provider, ...]:
    """Providers by host; a host's second one gets a number."""
    found: dict[str, str] = {}
    for url in urls:
        parts = urlsplit(url)
        host = parts.hostname or ""
        base = f"{host}:{parts.port}" if parts.port else host
        name, count = base, 2
        while name in found:
            name, count = f"{base} ({count})", count + 1
        found[name] = url
    return tuple(_Provider(name, url) for name, url in found.items())
