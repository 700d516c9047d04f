// Writes ../recorded/FAMILY.json of every family, or into the folder given as the first argument.
// Every signature here is deterministic, so recording again must give the same files.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { address as solanaAddress, createKeyPairFromPrivateKeyBytes, signBytes } from "@solana/kit";
import { compileOffchainMessageEnvelope, signOffchainMessageEnvelope } from "@solana/offchain-messages";
import * as ecc from "@bitcoinerlab/secp256k1";
import bip322 from "bip322-js";
import * as bitcoin from "bitcoinjs-lib";
import bitcoinMessage from "bitcoinjs-message";
import bs58 from "bs58";
import ecpairModule from "ecpair";
import { ethers } from "ethers";
import { TronWeb } from "tronweb";
import nacl from "tweetnacl";
import { parseSignature, serializeCompactSignature, signatureToCompactSignature } from "viem";
import { privateKeyToAccount } from "viem/accounts";

import { bitcoinLikeRows, cosmosRows, xrpRows } from "./coins.mjs";
import { BITCOIN_WIFS, EVM_KEYS, SOLANA_SEEDS, TRON_KEYS } from "./keys.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "..", "recorded");
const IDS = ["CHG_7Q2M9K4T8X1B6N3D5F0H2J", "CHG_0A1B2C3D4E5F6G7H8J9K0M", "CHG_ZZZZ9999YYYY8888XXXX77"];
const EXPIRES = "2026-11-20T14:00:00Z";
bitcoin.initEccLib(ecc);
const ECPair = (ecpairModule.ECPairFactory ?? ecpairModule.default ?? ecpairModule)(ecc);

const textFor = (network, address, id) =>
  `Example Bank: I control ${network} wallet ${address}.` +
  ` Sign only if you asked us for this. Ref ${id}, valid until ${EXPIRES}.`;
const version = (name) =>
  `${name}@${JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"))).version}`;
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const base64 = (bytes) => Buffer.from(bytes).toString("base64");

// expect is "accepted" or the finding of the diagnosis.
function row(library, network, address, text, form, signature, expect = "accepted") {
  return { library: version(library), network, address, text, form, signature, expect };
}

async function evmRows() {
  const rows = [];
  for (const key of EVM_KEYS)
    for (const id of IDS)
      for (const network of ["ethereum", "base"]) {
        const wallet = new ethers.Wallet(key);
        const account = privateKeyToAccount(key);
        const text = textFor(network, wallet.address, id);
        const add = (library, form, signature, expect) =>
          rows.push(row(library, network, wallet.address, text, form, signature, expect));
        const flat = await wallet.signMessage(text);
        const parts = ethers.Signature.from(flat);
        add("ethers", "hex", flat);
        add("ethers", "hex without 0x", flat.slice(2));
        add("ethers", "upper-case hex", "0x" + flat.slice(2).toUpperCase());
        add("ethers", "ledger v", flat.slice(0, -2) + (parts.yParity ? "01" : "00"));
        add("ethers", "eip-2098", parts.compactSerialized);
        add("ethers", "base64", base64(ethers.getBytes(flat)));
        add("ethers", "signature json", JSON.stringify({ signature: flat }));
        add("ethers", "parts json", JSON.stringify({ r: parts.r, s: parts.s, v: parts.v }));
        add("ethers", "mew json", JSON.stringify(
          { address: wallet.address.toLowerCase(), msg: text, sig: flat.slice(2), version: "2" }, null, 2));
        add("ethers", "rpc json", JSON.stringify({ jsonrpc: "2.0", id: 1, result: flat }));
        add("ethers", "array", JSON.stringify([...ethers.getBytes(flat)]));
        add("viem", "hex", await account.signMessage({ message: text }));
        add("viem", "eip-2098", serializeCompactSignature(
          signatureToCompactSignature(parseSignature(await account.signMessage({ message: text })))));
        const { r, s, yParity } = parseSignature(await account.signMessage({ message: text }));
        add("viem", "parity json", JSON.stringify({ r, s, yParity }));
        const bytes = ethers.toUtf8Bytes(text);
        const rawKey = new ethers.SigningKey(key);
        add("ethers", "eth_sign", rawKey.sign(ethers.keccak256(bytes)).serialized, "RAW_HASH_SIGNED");
        add("ethers", "hash as message", await wallet.signMessage(ethers.getBytes(ethers.keccak256(bytes))),
          "HASH_OF_TEXT_SIGNED");
        add("ethers", "hex of text", await wallet.signMessage(ethers.hexlify(bytes)), "HEX_OF_TEXT");
        add("viem", "trailing newline", await account.signMessage({ message: text + "\n" }), "TRAILING_NEWLINE");
        add("viem", "lower case", await account.signMessage({ message: text.toLowerCase() }), "LOWER_CASE_TEXT");
        add("ethers", "typed data", await wallet.signTypedData(
          { name: "Example Bank", version: "1", chainId: 1 }, { Proof: [{ name: "text", type: "string" }] }, { text }),
          "UNKNOWN_SIGNER");
        add("ethers", "transaction hash", ethers.keccak256(bytes), "SECRET_PASTED");
        add("ethers", "private key", key, "SECRET_PASTED");
      }
  return rows;
}

async function solanaRows() {
  const rows = [];
  for (const seedHex of SOLANA_SEEDS)
    for (const id of IDS) {
      const seed = Buffer.from(seedHex, "hex");
      const pair = nacl.sign.keyPair.fromSeed(seed);
      const address = bs58.encode(pair.publicKey);
      const text = textFor("solana", address, id);
      const bytes = Buffer.from(text);
      const add = (library, form, signature, expect) =>
        rows.push(row(library, "solana", address, text, form, signature, expect));
      const raw = nacl.sign.detached(bytes, pair.secretKey);
      add("tweetnacl", "base58", bs58.encode(raw));
      add("tweetnacl", "base64", base64(raw));
      add("tweetnacl", "base64 without padding", base64(raw).replace(/=+$/, ""));
      add("tweetnacl", "base64url", Buffer.from(raw).toString("base64url"));
      add("tweetnacl", "hex", hex(raw));
      add("tweetnacl", "array", JSON.stringify([...raw]));
      add("tweetnacl", "comma list", [...raw].join(", "));
      add("tweetnacl", "stringified Uint8Array", JSON.stringify(raw));
      add("tweetnacl", "Buffer json", JSON.stringify(Buffer.from(raw)));
      add("tweetnacl", "console", `Uint8Array(64) [\n  ${[...raw].join(", ")}\n]`);
      add("tweetnacl", "phantom json", JSON.stringify({ signature: bs58.encode(raw), publicKey: address }));
      add("tweetnacl", "bytes json", JSON.stringify({ signature: raw, publicKey: address }));
      const keys = await createKeyPairFromPrivateKeyBytes(seed);
      add("@solana/kit", "base58", bs58.encode(await signBytes(keys.privateKey, bytes)));
      const signatories = [{ address: solanaAddress(address) }];
      const envelopes = {
        "off-chain v0": {
          version: 0, applicationDomain: solanaAddress("11111111111111111111111111111111"),
          content: { format: 0, text }, requiredSignatories: signatories,
        },
        "off-chain v0 utf-8": {
          version: 0, applicationDomain: solanaAddress("11111111111111111111111111111111"),
          content: { format: 1, text }, requiredSignatories: signatories,
        },
        "off-chain v1": { version: 1, content: text, requiredSignatories: signatories },
      };
      for (const [form, message] of Object.entries(envelopes)) {
        const signed = await signOffchainMessageEnvelope([keys], compileOffchainMessageEnvelope(message));
        add("@solana/offchain-messages", form, bs58.encode(signed.signatures[address]));
      }
      const short = Buffer.concat([Buffer.from([0xff]), Buffer.from("solana offchain"),
        Buffer.from([0, 0, bytes.length & 255, bytes.length >> 8]), bytes]);
      add("tweetnacl", "off-chain v0 of the command line", bs58.encode(nacl.sign.detached(short, pair.secretKey)));
      const sign = (message) => bs58.encode(nacl.sign.detached(Buffer.from(message), pair.secretKey));
      add("tweetnacl", "trailing newline", sign(text + "\n"), "TRAILING_NEWLINE");
      add("tweetnacl", "hex of text", sign(bytes.toString("hex")), "HEX_OF_TEXT");
      add("tweetnacl", "sha256 of text", sign(createHash("sha256").update(bytes).digest()), "HASH_OF_TEXT_SIGNED");
      add("tweetnacl", "another text", sign("gm"), "NO_MATCH");
      add("tweetnacl", "secret key base58", bs58.encode(pair.secretKey), "SECRET_PASTED");
      add("tweetnacl", "secret key array", JSON.stringify([...pair.secretKey]), "SECRET_PASTED");
    }
  return rows;
}

function bitcoinAddresses(pair) {
  const pubkey = Buffer.from(pair.publicKey);
  const p2wpkh = bitcoin.payments.p2wpkh({ pubkey });
  return {
    p2pkh: bitcoin.payments.p2pkh({ pubkey }).address,
    "p2sh-p2wpkh": bitcoin.payments.p2sh({ redeem: p2wpkh }).address,
    p2wpkh: p2wpkh.address,
    p2tr: bitcoin.payments.p2tr({ internalPubkey: pubkey.subarray(1) }).address,
  };
}

function armored(text, address, signature) {
  return `-----BEGIN BITCOIN SIGNED MESSAGE-----\n${text}\n-----BEGIN BITCOIN SIGNATURE-----\n` +
    `${address}\n${signature}\n-----END BITCOIN SIGNATURE-----\n`;
}

function bitcoinRows() {
  const rows = [];
  for (const wif of BITCOIN_WIFS)
    for (const id of IDS) {
      const pair = ECPair.fromWIF(wif);
      const key = Buffer.from(pair.privateKey);
      for (const [kind, address] of Object.entries(bitcoinAddresses(pair))) {
        const text = textFor("bitcoin", address, id);
        const add = (library, form, signature, expect) =>
          rows.push(row(library, "bitcoin", address, text, `${kind} ${form}`, signature, expect));
        const legacy = bitcoinMessage.sign(text, key, true);
        if (kind === "p2tr") {
          add("bitcoinjs-message", "electrum header", legacy.toString("base64"), "TAPROOT_NEEDS_BIP322");
        } else {
          add("bitcoinjs-message", "electrum header", legacy.toString("base64"));
          add("bitcoinjs-message", "hex", legacy.toString("hex"));
          add("bitcoinjs-message", "armored", armored(text, address, legacy.toString("base64")));
          const options = { "p2sh-p2wpkh": { segwitType: "p2sh(p2wpkh)" }, p2wpkh: { segwitType: "p2wpkh" } }[kind];
          if (options) add("bitcoinjs-message", "bip-137 header", bitcoinMessage.sign(text, key, true, options).toString("base64"));
          add("bitcoinjs-message", "trailing newline", bitcoinMessage.sign(text + "\n", key, true).toString("base64"),
            "TRAILING_NEWLINE");
          add("bitcoinjs-message", "uncompressed header", bitcoinMessage.sign(text, key, false).toString("base64"),
            "KEY_FORM_IN_HEADER");
        }
        const modern = bip322.Signer.sign(wif, address, text);
        const proof = Buffer.isBuffer(modern) ? modern.toString("base64") : modern;
        add("bip322-js", "bip-322", proof);
        if (kind !== "p2pkh") add("bip322-js", "bip-322 smp", "smp" + proof);
        const altered = bip322.Signer.sign(wif, address, text + "\n");
        add("bip322-js", "bip-322 trailing newline", Buffer.isBuffer(altered) ? altered.toString("base64") : altered,
          "TRAILING_NEWLINE");
        add("bip322-js", "wif", wif, "SECRET_PASTED");
      }
    }
  return rows;
}

async function tronRows() {
  const rows = [];
  const tronWeb = new TronWeb({ fullHost: "http://127.0.0.1:1" }); // signs without asking a node
  for (const key of TRON_KEYS)
    for (const id of IDS) {
      const address = TronWeb.address.fromPrivateKey(key);
      const wallet = new ethers.Wallet(key);
      const text = textFor("tron", address, id);
      const add = (library, form, signature, expect) =>
        rows.push(row(library, "tron", address, text, form, signature, expect));
      const flat = await tronWeb.trx.signMessageV2(text, key);
      const parts = ethers.Signature.from(flat);
      add("tronweb", "hex", flat);
      add("tronweb", "hex without 0x", flat.slice(2));
      add("tronweb", "upper-case hex", "0x" + flat.slice(2).toUpperCase());
      add("tronweb", "ledger v", flat.slice(0, -2) + (parts.yParity ? "01" : "00"));
      add("tronweb", "base64", base64(ethers.getBytes(flat)));
      add("tronweb", "signature json", JSON.stringify({ signature: flat }));
      add("tronweb", "rpc json", JSON.stringify({ result: flat }));
      add("tronweb", "array", JSON.stringify([...ethers.getBytes(flat)]));
      add("ethers", "eip-2098", parts.compactSerialized);
      add("ethers", "parts json", JSON.stringify({ r: parts.r, s: parts.s, v: parts.v }));
      const hexOfText = TronWeb.toHex(text);
      const hash = TronWeb.sha3(text);
      add("tronweb", "trx.sign of hex", await tronWeb.trx.sign(hexOfText, key), "OLD_TRON_SIGN");
      add("tronweb", "trx.signMessage of hex", await tronWeb.trx.signMessage(hexOfText, key), "OLD_TRON_SIGN");
      add("tronweb", "trx.sign of hash", await tronWeb.trx.sign(hash, key), "OLD_TRON_SIGN");
      add("tronweb", "trx.sign with Ethereum's prefix", await tronWeb.trx.sign(hexOfText, key, false), "OLD_TRON_SIGN");
      add("ethers", "personal_sign", await wallet.signMessage(text), "SIGNED_AS_ETHEREUM");
      const bytes = ethers.toUtf8Bytes(text);
      add("ethers", "bare hash", new ethers.SigningKey("0x" + key).sign(ethers.keccak256(bytes)).serialized,
        "RAW_HASH_SIGNED");
      // The same bytes as trx.sign of the hash: both say that 32 bytes follow.
      add("tronweb", "hash as message", await tronWeb.trx.signMessageV2(ethers.getBytes(hash), key), "OLD_TRON_SIGN");
      add("tronweb", "hex of hash as message", await tronWeb.trx.signMessageV2(hash, key), "HASH_OF_TEXT_SIGNED");
      add("tronweb", "hex of text", await tronWeb.trx.signMessageV2(hexOfText, key), "HEX_OF_TEXT");
      add("tronweb", "trailing newline", await tronWeb.trx.signMessageV2(text + "\n", key), "TRAILING_NEWLINE");
      add("tronweb", "lower case", await tronWeb.trx.signMessageV2(text.toLowerCase(), key), "LOWER_CASE_TEXT");
      add("tronweb", "typed data", await tronWeb.trx.signTypedData(
        { name: "Example Bank", version: "1", chainId: 728126428 }, { Proof: [{ name: "text", type: "string" }] },
        { text }, key), "UNKNOWN_SIGNER");
      add("tronweb", "address", address, "ADDRESS_PASTED");
      add("tronweb", "address in hex", TronWeb.address.toHex(address), "ADDRESS_PASTED");
      add("tronweb", "private key", key, "SECRET_PASTED");
    }
  return rows;
}

mkdirSync(target, { recursive: true });
const files = { evm: await evmRows(), solana: await solanaRows(), bitcoin: bitcoinRows(), tron: await tronRows() };
for (const name of ["litecoin", "dogecoin", "bitcoin-cash"]) files[name] = bitcoinLikeRows(name, row, textFor, IDS);
files.xrp = xrpRows(row, textFor, IDS);
files.cosmos = await cosmosRows(row, textFor, IDS);
for (const [name, rows] of Object.entries(files))
  writeFileSync(join(target, `${name}.json`), JSON.stringify(rows, null, 1) + "\n");
