# ruff: noqa: E501, RUF001, S311 - sentences; texts that can be made again from a seed
"""Texts that no secret is in, as people and programs pass them to a bank, from any seed."""

import base64
import gzip
import hashlib
import json
from collections.abc import Callable, Iterator
from random import Random  # noqa: TID251 - as above
from typing import NamedTuple

import base58
from nacl.bindings import crypto_sign_seed_keypair

_SSH = bytes.fromhex("0000000b7373682d6564323535313900000020")
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class Ordinary(NamedTuple):
    """A text of a kind; ``is_hash`` where it is 64 bare hex digits, which only some entrances take."""

    kind: str
    text: str
    is_hash: bool = False


def _hash(rng: Random) -> Ordinary:
    digits = rng.randbytes(32).hex()
    forms = {
        "transaction of Ethereum": f"0x{digits}",
        "transaction of Bitcoin": digits,
        "block": f"{rng.randrange(1 << 40):064x}",
        "transaction of TRON": digits.upper(),
    }
    kind = rng.choice(list(forms))
    return Ordinary(kind, forms[kind], is_hash=True)


def _hash_in_words(rng: Random) -> Ordinary:
    digits = rng.randbytes(32).hex()
    forms = (
        f"https://etherscan.io/tx/0x{digits}",
        f"https://mempool.space/tx/{digits}",
        f"https://tronscan.org/#/transaction/{digits}",
        f"tx 0x{digits} confirmed",
        f"txid: {digits}",
        f"customer's transaction hash is 0x{digits}, 3 confirmations",
        json.dumps({"transactionHash": f"0x{digits}", "blockNumber": 19000123}),
        f"Überweisung {digits} ist eingegangen",
        f"la transacción 0x{digits} no aparece",
        f"交易哈希 0x{digits}",
        f"取引 {digits} を確認",
        f"거래 해시: {digits}",
        f"transação {digits} confirmada",
        f"la transaction {digits} est confirmée",
        f"transazione {digits} in attesa",
        f"transakce {digits} je potvrzená",
    )
    return Ordinary("hash in words", rng.choice(forms))


def _hash_of_solana(rng: Random) -> Ordinary:
    text = base58.b58encode(rng.randbytes(64)).decode()
    return Ordinary("transaction of Solana", rng.choice((text, f"https://solscan.io/tx/{text}")))


def _checked(version: bytes, payload: bytes) -> str:
    return base58.b58encode_check(version + payload).decode()


def _address(rng: Random) -> Ordinary:
    raw = rng.randbytes(64)
    bech32 = "".join(rng.choice(_BECH32) for _ in range(110))
    forms = {
        "Ethereum": f"0x{raw[:20].hex()}",
        "CAIP-10": f"eip155:1:0x{raw[:20].hex()}",
        "Bitcoin": _checked(b"\0", raw[:20]),
        "Bitcoin script": _checked(b"\5", raw[:20]),
        "SegWit": f"bc1q{bech32[:38]}",
        "Taproot": f"bc1p{bech32[:58]}",
        "Solana": base58.b58encode(raw[:32]).decode(),
        "TRON": _checked(b"\x41", raw[:20]),
        "TRON in hex": f"41{raw[:20].hex()}",
        "XRP": base58.b58encode_check(b"\0" + raw[:20], alphabet=base58.RIPPLE_ALPHABET).decode(),
        "Cardano": f"addr1{bech32[:98]}",
        "Cosmos": f"cosmos1{bech32[:38]}",
        "Litecoin": f"ltc1q{bech32[:38]}",
        "Bitcoin Cash": f"bitcoincash:q{bech32[:41]}",
        "Monero": base58.b58encode(raw + raw[:5]).decode(),
        "Stellar": base64.b32encode(bytes([6 << 3]) + raw[:34]).decode(),
        "TON": f"UQ{base64.urlsafe_b64encode(raw[:33]).decode()}",
        "Polkadot": base58.b58encode(raw[:35]).decode(),
        "node of Lightning": f"03{raw[:32].hex()}@example.com:9735",
    }
    kind = rng.choice(list(forms))
    said = (
        forms[kind],
        forms[kind],
        f"address {forms[kind]}, registered today",
        f"{forms[kind]}\n",
    )
    return Ordinary(f"address of {kind}", rng.choice(said))


def _signature(rng: Random) -> Ordinary:
    raw = rng.randbytes(64)
    last = bytes([rng.choice((27, 28))])
    strict = raw[:31].hex(), raw[32:63].hex()
    forms = {
        "Ethereum": f"0x{(raw + last).hex()}",
        "without 0x": (raw + last).hex(),
        "compact": f"0x{raw.hex()}",
        "Solana": base58.b58encode(raw).decode(),
        "base64": base64.b64encode(raw).decode(),
        "Bitcoin": base64.b64encode(last + raw).decode(),
        "Electrum": base64.b64encode(b"\x1f" + raw).decode(),
        "BIP-322": base64.b64encode(
            b"\2\x47\x30\x44\2\x20" + raw[:32] + b"\2\x20" + raw[32:] + b"\1\x21\3" + raw[:32]
        ).decode(),
        "DER": f"304402 20{raw[:32].hex()}0220{raw[32:].hex()}".replace(" ", ""),
        "numbers": str([*raw]),
        "parts": json.dumps({"r": f"0x{raw[:32].hex()}", "s": f"0x{raw[32:].hex()}", "v": 27}),
        "short parts": json.dumps({"r": f"0x{strict[0]}", "s": f"0x{strict[1]}", "yParity": 1}),
        "large numbers": f"r: {int.from_bytes(raw[:32], 'big')}, s: {int.from_bytes(raw[32:], 'big')}",
        "JSON": json.dumps(
            {
                "address": f"0x{raw[:20].hex()}",
                "msg": "BANK-1-CHG",
                "sig": f"0x{(raw + last).hex()}",
                "version": "2",
            }
        ),
        "mail": f"Hello, here it is: 0x{(raw + last).hex()} Regards, Alice",
    }
    kind = rng.choice(list(forms))
    return Ordinary(f"signature, {kind}", forms[kind])


def _public_key(rng: Random) -> Ordinary:
    raw = rng.randbytes(64)
    public = crypto_sign_seed_keypair(raw[:32])[0]
    forms = {
        "compressed": f"0{rng.choice('23')}{raw[:32].hex()}",
        "uncompressed": f"04{raw.hex()}",
        "of Solana": base58.b58encode(public).decode(),
        "of Ed25519 in base64": base64.b64encode(public).decode(),
        "of Cosmos": base64.b64encode(bytes([rng.choice((2, 3))]) + raw[:32]).decode(),
        "in words": f"public key: {public.hex()}",
        "extended": _checked(bytes.fromhex("0488b21e"), raw[:41] + b"\3" + raw[:32]),
        "SPKI": f"MCowBQYDK2VwAyEA{base64.b64encode(public).decode()}",
        "PEM": f"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA{base64.b64encode(public).decode()}\n-----END PUBLIC KEY-----",
        "of SSH": f"ssh-ed25519 {base64.b64encode(_SSH + public).decode()} alice",
    }
    kind = rng.choice(list(forms))
    return Ordinary(f"public key {kind}", forms[kind])


_NOTES: dict[str, tuple[str, ...]] = {
    "en": (
        "Customer {name} called about the withdrawal of {amount} USD on {day}. She asked why it is still processing and I explained the review.",
        "Asked whether we need the private key. Told {name} that we never do and that nobody else should have it either.",
        "{name} lost the recovery phrase of the old wallet and will register another one next week. No funds were moved yet.",
        "Call back on {day} about {id}; prefers mornings. Wallet was verified with a small transfer, then linked again after the expiry.",
        "Wants to sell {amount} sol when the market opens, can wait. Seed investor, long standing relationship, private banking client.",
        "please cancel order {id} and keep the rest until next month when her salary arrives from abroad",
        "Sent {amount}, {amount}, {amount} and {amount} on the first of each month; total matches the statement from {day}.",
        "Secret: none. Password reset was done by the branch, backup contact is {name}, phone {phone}.",
        "The customer says the phrase on the screen differs; it is the text to sign, not a recovery phrase. Sent new message {id}.",
    ),
    "de": (
        "Kunde {name} fragt nach dem Stand der Auszahlung über {amount} USD vom {day}. Rückruf morgen Vormittag gewünscht, Nummer {phone}.",
        "Kundin hat nach dem privaten Schlüssel gefragt; erklärt, dass die Bank ihn nie braucht und niemand ihn haben soll.",
        "Neue Wallet wurde heute registriert, Nachricht {id} verschickt, Unterschrift folgt per Mail sobald das Gerät wieder da ist",
        "Verkauf von {amount} SOL bis Ende der Woche geplant. Depot bleibt offen, Steuerbericht bitte per Post senden.",
    ),
    "fr": (
        "Le client {name} demande pourquoi le retrait de {amount} USD du {day} est en attente. Je le rappelle demain matin au {phone}.",
        "Elle a demandé si la banque a besoin de sa phrase de récupération ; réponse : jamais, et personne ne doit la demander.",
        "Nouvelle adresse enregistrée, message {id} envoyé pour signature, vérification prévue lundi avec un petit virement",
    ),
    "es": (
        "La clienta {name} pregunta por el retiro de {amount} USD del {day}. Llamar mañana por la tarde al {phone}, habla poco inglés.",
        "Preguntó si hace falta su clave privada; le dije que nunca la pedimos y que no la comparta con nadie.",
        "Nueva dirección registrada ayer, mensaje {id} enviado, falta la firma porque el teléfono estaba sin batería",
    ),
    "it": (
        "La cliente {name} chiede del prelievo di {amount} USD del {day}. Richiamare domani mattina al numero {phone}.",
        "Ha chiesto se serve la chiave privata; spiegato che la banca non la chiede mai e che non va data a nessuno.",
        "Nuovo indirizzo registrato ieri, messaggio {id} inviato, manca la firma perché il telefono era scarico",
    ),
    "pt": (
        "A cliente {name} pergunta pelo saque de {amount} USD do dia {day}. Ligar amanhã à tarde para {phone}.",
        "Perguntou se precisamos da chave privada; respondi que nunca pedimos e que ninguém deve ter acesso a ela.",
        "Novo endereço registrado ontem, mensagem {id} enviada, falta a assinatura porque o telefone estava sem bateria",
    ),
    "cs": (
        "Zákazník {name} se ptá na výběr {amount} USD ze dne {day}. Zavolat zítra dopoledne na číslo {phone}.",
        "Ptala se, jestli potřebujeme soukromý klíč; vysvětlila jsem, že ho banka nikdy nechce a nikomu se nedává.",
        "Nová adresa byla zapsána včera, zpráva {id} odeslána, chybí podpis protože telefon byl vybitý",
    ),
    "ja": (
        "{name}様より{day}の出金{amount} USDについてお問い合わせ。明日の午前中に{phone}へ折り返し電話する予定です。",
        "秘密鍵が必要かと聞かれたので、銀行が尋ねることは決してなく、誰にも教えないようにと説明しました。",
        "新しいアドレスを登録し、署名用メッセージ{id}を送付済み。署名はまだ届いていません。",
    ),
    "ko": (
        "{name} 고객이 {day} 출금 {amount} USD 상태를 문의했습니다. 내일 오전에 {phone} 번호로 다시 전화하기로 했습니다.",
        "개인 키가 필요한지 물어보셔서 은행은 절대 요구하지 않으며 누구에게도 알려 주지 말라고 안내했습니다.",
        "새 주소를 등록하고 서명할 메시지 {id} 보냈습니다 서명은 아직 도착하지 않았습니다 다음 주에 다시 확인할 예정입니다",
    ),
    "zh": (
        "客户{name}来电询问{day}提取{amount}美元的状态，明天上午回电{phone}。",
        "客户问我们是否需要助记词，已说明银行绝不会索要，也不要告诉任何人。",
        "新地址已登记消息已发送等待签名请于下周一再次联系客户确认",
        "客戶詢問提款進度已說明審核仍在進行中明天回電",
        "客户来电询问提款状态已告知",
        "已向客户说明签名信息的用途",
        "客户希望下月初卖出全部比特币",
        "請於星期五之前完成地址驗證工作",
    ),
}  # fmt: skip
_NAMES = (
    "Anna Novák",
    "Wei Chen",
    "María López",
    "John O'Brien",
    "Haruka Sato",
    "Kim Min-jun",
    "Luca Rossi",
    "Ana Souza",
    "Petr Svoboda",
    "Zoé Lefèvre",
)


def _id(rng: Random) -> str:
    return f"{rng.choice(('TDA', 'TXN', 'CPT', 'CHG', 'CLM'))}_{''.join(rng.choice(_CROCKFORD) for _ in range(22))}"


def _note(rng: Random) -> Ordinary:
    language = rng.choice(list(_NOTES))
    sentences = rng.choices(_NOTES[language], k=rng.choice((1, 1, 2, 3)))
    filled = [
        each.format(
            name=rng.choice(_NAMES),
            amount=f"{rng.randrange(1, 90_000):,}.{rng.randrange(100):02}",
            day=f"2026-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}",
            id=_id(rng),
            phone=f"+{rng.randrange(10, 99)} {rng.randrange(100, 999)} {rng.randrange(1000, 9999)} {rng.randrange(1000, 9999)}",
        )
        for each in sentences
    ]
    return Ordinary(f"note in {language}", rng.choice((" ", "\n")).join(filled))


def _number(rng: Random) -> Ordinary:
    forms = {
        "amounts": ", ".join(f"{rng.randrange(1, 2000)}" for _ in range(rng.randrange(5, 25))),
        "prices": " ".join(f"{rng.randrange(1, 2000)}.{rng.randrange(100):02}" for _ in range(16)),
        "years": " ".join(str(year) for year in range(2010, 2027)),
        "days": "\n".join(f"{day}. {rng.randrange(1, 900)}" for day in range(1, 29)),
        "IBAN": f"DE{rng.randrange(10**20):020}",
        "card": " ".join(f"{rng.randrange(10_000):04}" for _ in range(4)),
        "unlimited allowance": str(2**256 - 1),
        "wei": str(rng.randrange(10**18, 10**25)),
        "times": " ".join(f"{rng.randrange(24):02}:{rng.randrange(60):02}" for _ in range(20)),
        "telephone numbers": ", ".join(f"+49 {rng.randrange(10**9, 10**10)}" for _ in range(5)),
    }
    kind = rng.choice(list(forms))
    return Ordinary(kind, forms[kind])


def _of_programs(rng: Random) -> Ordinary:
    raw = rng.randbytes(64)
    token = (
        base64.urlsafe_b64encode(json.dumps({"sub": _id(rng), "iat": 1}).encode())
        .decode()
        .rstrip("=")
    )
    forms = {
        "id": _id(rng),
        "idempotency key": raw[:16].hex(),
        "UUID": f"{raw[:4].hex()}-{raw[4:6].hex()}-{raw[6:8].hex()}-{raw[8:10].hex()}-{raw[10:16].hex()}",
        "JWT": f"eyJhbGciOiJFUzI1NiJ9.{token}.{base64.urlsafe_b64encode(raw).decode().rstrip('=')}",
        "raw transaction": "0x02f8" + rng.randbytes(180).hex(),
        "PSBT": "cHNidP8B" + base64.b64encode(rng.randbytes(150)).decode(),
        "CID": f"bafybei{base64.b32encode(raw[:32]).decode().lower().rstrip('=')}",
        "digest": f"sha256:{hashlib.sha256(raw).hexdigest()}",
        "path": f"/home/alice/exports/{_id(rng)}/statement-2026-11.pdf",
        "address of a page": f"https://bank.example/customers/{_id(rng)}?from=2026-11-01&to=2026-11-27&sort=newest",
        "message to sign": f"BANK-{rng.randrange(10_000)}-{_id(rng)}",
        "certificate": f"-----BEGIN CERTIFICATE-----\nMIIB{base64.b64encode(rng.randbytes(45)).decode()}\n-----END CERTIFICATE-----",
        "deposit": json.dumps(
            {"amount": "1.00", "currency": {"type": "deposit-token-currency", "id": "DPT_USD"}}
        ),
        "calldata": f"0xa9059cbb{'0' * 24}{raw[:20].hex()}{rng.randrange(1 << 90):064x}",
    }
    kind = rng.choice(list(forms))
    return Ordinary(kind, forms[kind])


def _laid_out(rng: Random) -> Ordinary:
    """What is spelled as secrets may be, and is none."""
    raw = rng.randbytes(140)
    signature = base64.b64encode(raw[:65]).decode(), f"0x{raw[:65].hex()}"
    english = " ".join(rng.choices(_NOTES["en"], k=3))
    forms = {
        "dump of a transaction": "\n".join(
            f"{at:08x}  {raw[at : at + 16].hex(' ')}  |{'.' * 16}|" for at in range(0, 128, 16)
        ),
        "signature in a mail": _in_mail(rng.choice(signature), rng.choice((32, 44, 76))),
        "certificate in lines": base64.encodebytes(b"0\x82\x02\n0\x82\x01" + raw).decode(),
        "colours": " ".join(f"#{raw[at : at + 3].hex()}" for at in range(0, 60, 3)),
        "file modes": " ".join(rng.choices(("644", "755", "600", "700"), k=20)),
        "flags": " ".join(f"0x{1 << bit:x}" for bit in range(16)),
        "table of amounts": "\n".join(f"| {at} | {rng.randrange(9_000)}.00 |" for at in range(40)),
        "message of a program": json.dumps(english) + r" ended with \"code 7\"\n",
        "letter in base64": base64.b64encode(english.encode()).decode(),
        "letter, compressed": base64.b64encode(gzip.compress(english.encode())).decode(),
        "letter with ordinals": f"First, {english} Second, {english} Third, {english}",
        "flags of countries": "\U0001f1e9\U0001f1ea \U0001f1eb\U0001f1f7 \U0001f1ea\U0001f1f8 " * 9,
        "phone numbers": " ".join(f"{rng.randrange(10**9, 10**10)}" for _ in range(9)),
        "total supply": f"{rng.randrange(10**30):,}",
    }
    kind = rng.choice(list(forms))
    return Ordinary(kind, forms[kind])


def _in_mail(text: str, width: int) -> str:
    lines = "\n".join(text[at : at + width] for at in range(0, len(text), width))
    return f"Hello,\nhere it is:\n{lines}\nRegards, Alice"


MAKERS: tuple[Callable[[Random], Ordinary], ...] = (
    _hash, _hash_in_words, _hash_of_solana, _address, _signature, _public_key, _note, _note, _note,
    _number, _of_programs, _laid_out,
)  # fmt: skip


def ordinary(seed: int, count: int) -> Iterator[Ordinary]:
    """So many texts, of each maker in turn."""
    rng = Random(seed)
    for number in range(count):
        yield MAKERS[number % len(MAKERS)](rng)
