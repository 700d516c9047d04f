"""The signing page in a real Chromium, with wallets' interfaces and real keys.

``SIGNING_PAGE_PICTURES`` names a folder for screenshots of each page, to be looked at.
"""

import base64
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import bip322
import pytest
from tests.api.conftest import Caller
from tests.api.test_signing_pages import TOKEN, ask, claim, shown
from tests.signing_page.chromium import CHROMIUM, DRIVER, Chromium, free_port
from tests.wallets.customers import Customer, customers
from tests.world.bank import build, sqlite_url
from tests.world.serving import deployment, served

from chainteller.api.listening import Address
from chainteller.domain.clock import SystemClock
from chainteller.domain.options import EngineOptions
from chainteller.wallets.bitcoin_signing import sign_bip322

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (CHROMIUM and DRIVER), reason="chromium and chromium-driver are missing"
    ),
]
WALLETS = (Path(__file__).parent / "wallets.js").read_text(encoding="utf-8")
PICTURES = os.environ.get("SIGNING_PAGE_PICTURES")
TAB, ENTER = "\ue004", "\ue007"
SCREENS = {"phone": (390, 844), "desktop": (1280, 900)}


@pytest.fixture
def call(tmp_path: Path) -> Iterator[Caller]:
    """A server whose public address is its own."""
    port = free_port()
    options = EngineOptions(rate_limits=False, public_url=f"http://localhost:{port}")
    world = build(sqlite_url(tmp_path), options=options, clock=SystemClock())
    with served(deployment(world), at=Address(port=port)):
        yield Caller(f"http://localhost:{port}", world.key())
    world.engine.close()


@pytest.fixture
def browser() -> Iterator[Chromium]:
    opened = Chromium()
    yield opened
    opened.close()


@dataclass
class Visit:
    """A customer with a wallet who has opened the page."""

    browser: Chromium
    call: Caller
    customer: Customer
    asked: dict[str, Any]

    @property
    def status(self) -> str:
        return str(self.browser.run("return document.getElementById('status').textContent"))

    def says(self, words: str) -> None:
        self.browser.wait(lambda: words in self.status)

    def buttons(self) -> list[str]:
        found: list[str] = self.browser.run(
            "return [...document.querySelectorAll('#wallet-list button')].map((b) => b.textContent)"
        )
        return found

    def press(self, number: int = 0) -> None:
        """Press a wallet's button, once the page has found the wallet."""
        script = (
            "const each = document.querySelectorAll('#wallet-list button')[arguments[0]];"
            "each?.click(); return Boolean(each)"
        )
        self.browser.wait(lambda: self.browser.run(script, number))

    def request(self) -> dict[str, Any]:
        """What the wallet is asked for next."""
        script = (
            "const [each] = window.asked;"
            "return each && {name: each.name, method: each.method, params: each.params}"
        )
        found: dict[str, Any] = self.browser.wait(lambda: self.browser.run(script))
        return found

    def answer(self, value: object, code: int = 0) -> None:
        self.browser.run("window.answerAsked(...arguments)", value, code)

    def sign(self, message: str | None = None) -> None:
        """Answer what the page asks for, as the wallet of the customer."""
        while True:
            wanted = self.request()
            method, params = wanted["method"], wanted["params"]
            if method in {"eth_requestAccounts", "connect", "accounts", "tron_requestAccounts"}:
                self.answer([self.customer.registered.display, self._xrp_key().hex().upper()])
                continue
            text = params["message"] if isinstance(params, dict) else params[0]
            if method == "personal_sign":
                text = bytes.fromhex(text[2:]).decode()
            signed = (message or text).encode()
            bip_322 = wanted["name"] == "unisat" and params[1] == "bip322-simple"
            if bip_322:
                answer: Any = self._bip322(signed)
            elif wanted["name"] == "gemwallet":
                answer = self.customer.sign(signed).removeprefix(self._xrp_key()).hex().upper()
            elif wanted["name"] == "wallet-standard":
                answer = self.customer.sign(signed).hex()
            else:
                answer = self.customer.answer(signed)
            self.answer({"result": {"signature": answer}} if isinstance(params, dict) else answer)
            return

    def _xrp_key(self) -> bytes:
        """The public key of an Ed25519 key, as the XRP Ledger writes it."""
        is_ed25519 = self.customer.family == "xrp" and len(self.customer.key) == 33
        return self.customer.sign(b"")[:33] if is_ed25519 else b""

    def _bip322(self, message: bytes) -> str:
        """As wallets give it; the library of the standard raises where it isn't valid."""
        address = self.customer.registered
        made = base64.b64encode(sign_bip322(self.customer.key, message, address)).decode()
        bip322.verify_simple_encoded(address.display, message.decode(), made)
        return made

    def candidate(self) -> str | None:
        found: str | None = shown(self.call, self.asked["id"])["pageSignature"]
        return found


def visit(browser: Chromium, call: Caller, wallet: str, customer: Customer) -> Visit:
    asked = ask(call, customer.registered.display, customer.registered.network.name)
    browser.inject(f"(() => {{{WALLETS}; WALLETS[{json.dumps(wallet)}]?.();}})()")
    browser.requests()
    browser.open(f"{call.address}/sign/{TOKEN}")
    opened = Visit(browser, call, customer, asked)
    opened.says("Sign the message below")
    return opened


INTERFACES = (
    ("eip-1193", "evm", 0, "Browser wallet"),
    ("eip-6963", "evm", 1, "Announced Wallet"),
    ("wallet-standard", "solana", 0, "Standard Wallet"),
    ("unisat", "bitcoin", 1, "UniSat Wallet"),
    ("btc-providers", "bitcoin", 0, "Rpc Wallet"),
    ("tronlink", "tron", 0, "TronLink"),
    ("keplr", "cosmos", 1, "Keplr"),
    ("gemwallet", "xrp", 2, "GemWallet"),
)


@pytest.mark.parametrize(("wallet", "family", "number", "name"), INTERFACES)
@pytest.mark.parametrize("screen", SCREENS)
def test_a_wallet_signs_and_the_agent_links(
    browser: Chromium, call: Caller, wallet: str, family: str, number: int, name: str, screen: str
) -> None:
    browser.screen(*SCREENS[screen], dark=number == 1, is_phone=screen == "phone")
    opened = visit(browser, call, wallet, customers(family)[number])
    browser.wait(lambda: opened.buttons() == [f"Sign with {name}"])
    _take_picture(browser, f"{wallet}-{screen}")
    opened.press()
    opened.sign()
    opened.says("Thank you")
    _take_picture(browser, f"{wallet}-{screen}-signed")
    made = claim(call, opened.asked, str(opened.candidate()))
    assert made.status == 201, made.body
    hosts = {urlsplit(each).netloc for each in browser.requests() if not each.startswith("data:")}
    assert hosts == {urlsplit(call.address).netloc}
    assert browser.run("return document.cookie + localStorage.length") == "0"


def test_a_wallet_that_is_asked_by_messages_may_decline(browser: Chromium, call: Caller) -> None:
    opened = visit(browser, call, "gemwallet", customers("xrp")[2])
    browser.wait(opened.buttons)
    opened.press()
    assert opened.request()["method"] == "accounts"
    opened.answer([opened.customer.registered.display, ""])
    assert opened.request()["method"] == "sign"
    opened.answer(None)
    opened.says("You declined in GemWallet")
    assert opened.candidate() is None


def test_three_wallets_of_a_customer_sign_one_after_the_other(
    browser: Chromium, call: Caller
) -> None:
    browser.screen(*SCREENS["phone"], dark=False, is_phone=True)
    account, mine = call.account(), [*customers("evm")[:2], customers("solana")[0]]
    asked = [
        ask(call, each.registered.display, each.registered.network.name, account) for each in mine
    ]
    browser.inject(
        f"(() => {{{WALLETS}; for (const wallet of Object.values(WALLETS)) wallet();}})()"
    )
    browser.open(f"{call.address}/sign/{TOKEN}")
    opened = Visit(browser, call, mine[0], asked[0])
    opened.says("0 of 3 wallets are signed")
    _take_picture(browser, "three-wallets")
    script = "return document.getElementById('address').textContent"
    for number in range(3):
        address = browser.run(script)
        opened.customer = next(each for each in mine if each.registered.display == address)
        opened.press()
        if number == 0:  # the wallet signs with the other account first
            opened.request()
            opened.answer(["0x" + "11" * 20])
            opened.says("does not have")
            opened.press()
        opened.sign()
        opened.says(f"{number + 1} of 3 wallets are signed")
    opened.says("You can close this page")
    _take_picture(browser, "three-wallets-signed")
    for each in asked:
        assert claim(call, each, shown(call, each["id"])["pageSignature"]).status == 201
    browser.open(f"{call.address}/sign/{TOKEN}")
    opened.says("Your bank has accepted the signature")


def test_by_keyboard_and_screen_reader_without_a_wallet(browser: Chromium, call: Caller) -> None:
    browser.screen(*SCREENS["desktop"], dark=False, is_phone=False)
    opened = visit(browser, call, "", customers("evm")[0])
    assert "No wallet was found" in browser.run("return document.body.innerText")
    tree = browser.tools("Accessibility.getFullAXTree")["nodes"]
    named = {
        (each["role"]["value"], each.get("name", {}).get("value", ""))
        for each in tree
        if "role" in each and not each.get("ignored")
    }
    assert {
        ("heading", "Show that a wallet is yours"),
        ("button", "Copy the text"),
        ("textbox", "Paste the signature here"),
        ("button", "Send the signature"),
    } <= named
    assert "status" in {role for role, _ in named}
    seen = []
    for _ in range(5):
        browser.press(TAB)
        seen.append(browser.run("return document.activeElement.id || document.activeElement.type"))
    assert seen[:4] == ["message", "copy", "signature", "submit"]
    browser.run("document.getElementById('copy').focus()")
    browser.press(ENTER)
    browser.wait(lambda: "cop" in opened.status.lower())
    text = browser.run("return document.getElementById('text').textContent")
    assert text == opened.asked["challenge"]
    browser.run("document.getElementById('signature').focus()")
    browser.press(*customers("evm")[0].answer(text), TAB, ENTER)
    opened.says("Thank you")
    assert claim(call, opened.asked, str(opened.candidate())).status == 201
    assert browser.run("return document.activeElement.id") == "status"


def test_wallets_that_err_are_named_and_nothing_is_verified(
    browser: Chromium, call: Caller
) -> None:
    mine, other = customers("evm")[:2]
    opened = visit(browser, call, "eip-1193", mine)
    opened.press()
    opened.request()
    opened.answer([other.registered.display])  # another account is selected
    opened.says(f"It shows {other.registered.display}")
    opened.press()
    opened.request()
    opened.answer("no", 4001)
    opened.says("You declined in Browser wallet")
    opened.press()
    opened.request()
    opened.answer("busy", -32002)
    opened.says("already shows a request")
    opened.press()
    opened.request()
    opened.answer("<img src=x onerror=alert(1)> chain 0x1 of 0x89")
    opened.says("could not sign")  # it answers with no list of accounts
    assert opened.candidate() is None
    opened.press()
    opened.sign(message="another text")
    opened.says("it is not of this message by this address")
    assert opened.candidate() is not None
    opened.press()  # a wallet that never answers: the next attempt takes its place
    opened.request()
    opened.press()
    browser.wait(lambda: browser.run("return window.asked.length") == 2)
    browser.run("window.asked.shift()")
    opened.sign()
    opened.says("Thank you")
    assert claim(call, opened.asked, str(opened.candidate())).status == 201


def test_what_is_pasted_by_mistake_is_refused_in_words(browser: Chromium, call: Caller) -> None:
    opened = visit(browser, call, "", customers("evm")[0])
    for paste, words in (
        ("A" * 1_000_000, "too long for a signature"),
        (" ".join(["abandon"] * 11 + ["about"]), "secret of your wallet"),
        ("hello", "it is not of this message by this address"),
    ):
        browser.run(
            "document.getElementById('signature').value = arguments[0];"
            "document.querySelector('#send button').click()",
            paste,
        )
        opened.says(words)
        assert browser.run("return document.getElementById('signature').value") == ""
    browser.open(f"{call.address}/sign/{'A' * 22}")
    opened.says("This link is not valid")
    _take_picture(browser, "not-valid")


def test_no_other_page_can_frame_it_or_run_a_script_in_it(browser: Chromium, call: Caller) -> None:
    opened = visit(browser, call, "", customers("evm")[0])
    blocked = browser.run(
        "const script = document.createElement('script'); script.textContent = 'window.evil = 1';"
        "document.body.append(script); return window.evil === undefined"
    )
    assert blocked is True
    browser.open(f"data:text/html,<iframe src='{call.address}/sign/{TOKEN}'></iframe>")
    browser.wait(
        lambda: browser.tools("Page.getFrameTree")["frameTree"]["childFrames"][0]["frame"][
            "url"
        ].startswith("chrome-error:")
    )
    assert opened.candidate() is None


def _take_picture(browser: Chromium, name: str) -> None:
    if PICTURES:
        browser.picture(Path(PICTURES) / f"{name}.png")
