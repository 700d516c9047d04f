// Rows of Litecoin, Dogecoin, Bitcoin Cash, the XRP Ledger and Cosmos: what their wallets' libraries
// sign, and the same texts altered, each with the finding that it must be refused with.
import { createHash } from "node:crypto";
import { createRequire } from "node:module";

import { Secp256k1Wallet, makeSignDoc } from "@cosmjs/amino";
import bitcoinMessage from "bitcoinjs-message";
import bs58 from "bs58";
import { ethers } from "ethers";
import * as rippleKeypairs from "ripple-keypairs";

import { BITCOIN_WIFS, EVM_KEYS, SOLANA_SEEDS } from "./keys.mjs";

const require = createRequire(import.meta.url);
const keplr = require("@keplr-wallet/cosmos");
const { PrivKeySecp256k1, Hash } = require("@keplr-wallet/crypto");
const rippleKeypairs1 = require("ripple-keypairs-1");
const bitcore = {
  litecoin: require("bitcore-lib-ltc"),
  dogecoin: require("bitcore-lib-doge"),
  "bitcoin-cash": require("bitcore-lib-cash"),
};
const MAGIC = {
  litecoin: "\x19Litecoin Signed Message:\n",
  dogecoin: "\x19Dogecoin Signed Message:\n",
  "bitcoin-cash": "\x18Bitcoin Signed Message:\n",
};
const KEYS = BITCOIN_WIFS.map((wif) => Buffer.from(bs58.decode(wif).slice(1, 33)));

const sha256 = (text) => createHash("sha256").update(text).digest();
const ALTERED = {
  "trailing newline": [(text) => text + "\n", "TRAILING_NEWLINE"],
  "Windows line break": [(text) => text + "\r\n", "TRAILING_NEWLINE"],
  "trailing space": [(text) => text + " ", "TRAILING_SPACE"],
  "leading space": [(text) => " " + text, "LEADING_SPACE"],
  quoted: [(text) => `"${text}"`, "QUOTED_TEXT"],
  "lower case": [(text) => text.toLowerCase(), "LOWER_CASE_TEXT"],
  "upper case": [(text) => text.toUpperCase(), "UPPER_CASE_TEXT"],
  "full stop lost": [(text) => text.slice(0, -1), "FINAL_PERIOD_LOST"],
  "two spaces": [(text) => text.replaceAll(". ", ".  "), "SPACES_CHANGED"],
  "hex of text": [(text) => Buffer.from(text).toString("hex"), "HEX_OF_TEXT"],
  "base64 of text": [(text) => Buffer.from(text).toString("base64"), "BASE64_OF_TEXT"],
  "hash of text": [(text) => sha256(text).toString("hex"), "HASH_OF_TEXT_SIGNED"],
};

function altered(add, library, sign, text, kind = "") {
  for (const [form, [alter, finding]] of Object.entries(ALTERED)) add(library, kind + form, sign(alter(text)), finding);
}

function signedByBitcore(network, key, text) {
  const { PrivateKey, crypto, encoding } = bitcore[network];
  const bytes = Buffer.from(text);
  const framed = Buffer.concat([Buffer.from(MAGIC[network]), encoding.BufferWriter.varintBufNum(bytes.length), bytes]);
  const digest = crypto.Hash.sha256sha256(framed);
  const privateKey = new PrivateKey(key.toString("hex"));
  const signature = crypto.ECDSA.sign(digest, privateKey);
  const whole = crypto.ECDSA.calci(digest, signature, privateKey.toPublicKey());
  return whole.toCompact(whole.i, true).toString("base64");
}

function addressesOf(network, key) {
  const { PrivateKey, Address } = bitcore[network];
  const publicKey = new PrivateKey(key.toString("hex")).toPublicKey();
  const legacy = new Address(publicKey, "livenet");
  if (network === "dogecoin") return { p2pkh: legacy.toString() };
  if (network === "bitcoin-cash") return { p2pkh: legacy.toString().replace("bitcoincash:", "") };
  return {
    p2pkh: legacy.toString(),
    "p2sh-p2wpkh": new Address(publicKey, "livenet", "scripthash").toString(),
    p2wpkh: new Address(publicKey, "livenet", "witnesspubkeyhash").toString(),
  };
}

export function bitcoinLikeRows(network, row, textFor, ids) {
  const rows = [];
  KEYS.forEach((key, index) => {
    const name = `bitcore-lib-${{ litecoin: "ltc", dogecoin: "doge", "bitcoin-cash": "cash" }[network]}`;
    const prefixed = (text, options, prefix = MAGIC[network], compressed = true) =>
      bitcoinMessage.sign(text, key, compressed, prefix, options).toString("base64");
    for (const [kind, address] of Object.entries(addressesOf(network, key))) {
      const text = textFor(network, address, ids[index]);
      const add = (library, form, signature, expect) =>
        rows.push(row(library, network, address, text, `${kind} ${form}`, signature, expect));
      const plain = prefixed(text);
      add("bitcoinjs-message", "base64", plain);
      add("bitcoinjs-message", "hex", Buffer.from(plain, "base64").toString("hex"));
      add("bitcoinjs-message", "armored", "-----BEGIN BITCOIN SIGNED MESSAGE-----\n" +
        `${text}\n-----BEGIN BITCOIN SIGNATURE-----\n${address}\n${plain}\n-----END BITCOIN SIGNATURE-----\n`);
      const options = { "p2sh-p2wpkh": { segwitType: "p2sh(p2wpkh)" }, p2wpkh: { segwitType: "p2wpkh" } }[kind];
      if (options) add("bitcoinjs-message", "bip-137 header", prefixed(text, options));
      add(name, "base64", signedByBitcore(network, key, text));
      altered(add, "bitcoinjs-message", (message) => prefixed(message), text);
      const other = network === "bitcoin-cash" ? "litecoin" : "bitcoin-cash";
      add("bitcoinjs-message", `${other}'s magic`, prefixed(text, undefined, MAGIC[other]),
        network === "bitcoin-cash" ? "SIGNED_AS_LITECOIN" : "SIGNED_AS_BITCOIN");
      add("bitcoinjs-message", "uncompressed header", prefixed(text, undefined, MAGIC[network], false), "KEY_FORM_IN_HEADER");
      add("bitcoinjs-message", "another text", prefixed("gm"), "UNKNOWN_SIGNER");
      add(name, "address", address, "ADDRESS_PASTED");
      add(name, "WIF", new bitcore[network].PrivateKey(key.toString("hex")).toWIF(), "SECRET_PASTED");
    }
  });
  return rows;
}

export function xrpRows(row, textFor, ids) {
  const rows = [];
  const hexOf = (text) => Buffer.from(text).toString("hex");
  const pairs = [
    ...KEYS.map((key) => ["00" + key.toString("hex").toUpperCase(), new PrivKeySecp256k1(key).getPubKey().toBytes()]),
    ...SOLANA_SEEDS.map((seed) => ["ED" + seed.toUpperCase(), null]),
  ];
  pairs.forEach(([privateKey, secp], index) => {
    const isEd = secp === null;
    // The published vectors of RFC 8032 give the public keys of these seeds.
    const publicKey = isEd ? "ED" + ED25519_PUBLIC[index - KEYS.length].toUpperCase() : Buffer.from(secp).toString("hex").toUpperCase();
    const address = rippleKeypairs.deriveAddress(publicKey);
    const text = textFor("xrp", address, ids[index % ids.length]);
    const kind = isEd ? "ed25519 " : "secp256k1 ";
    const add = (library, form, signature, expect) =>
      rows.push(row(library, "xrp", address, text, kind + form, signature, expect));
    const whole = (signature) => (isEd ? `${publicKey}\n${signature}` : signature);
    const sign = (message) => whole(rippleKeypairs.sign(hexOf(message), privateKey));
    const signature = rippleKeypairs.sign(hexOf(text), privateKey);
    add("ripple-keypairs", "hex", sign(text));
    add("ripple-keypairs", "lower-case hex", sign(text).toLowerCase());
    add("ripple-keypairs", "signature first", isEd ? `${signature} ${publicKey}` : signature + "\n");
    add("ripple-keypairs", "json", JSON.stringify({ address, publicKey, signature }));
    add("ripple-keypairs", "indented json", JSON.stringify({ result: { publicKey, signature } }, null, 2)
      .replace('"result"', '"signature"').replace('"signature": "', '"signature": "'));
    add("ripple-keypairs", "labelled", `Public key: ${publicKey}\nSignature: ${signature}`);
    add("ripple-keypairs-1", "hex", whole(rippleKeypairs1.sign(hexOf(text), privateKey)));
    altered(add, "ripple-keypairs", sign, text);
    add("ripple-keypairs", "another text", sign("gm"), isEd ? "UNKNOWN_TEXT" : "NO_MATCH");
    add("ripple-keypairs", "address", address, "ADDRESS_PASTED");
    if (isEd) add("ripple-keypairs", "no public key", signature, "PUBLIC_KEY_MISSING");
    else add("ethers", "personal_sign", new ethers.Wallet("0x" + privateKey.slice(2)).signMessageSync(text), "SIGNED_AS_ETHEREUM");
    add("ripple-keypairs", "seed", rippleKeypairs.generateSeed({ entropy: Buffer.from(privateKey.slice(2, 34), "hex") }),
      "SECRET_PASTED");
  });
  return rows;
}

const ED25519_PUBLIC = [
  "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
  "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
  "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
];

const COSMOS = [["cosmos", "cosmos"], ["osmosis", "osmo"], ["injective", "inj"]];

export async function cosmosRows(row, textFor, ids) {
  const rows = [];
  for (const [index, key] of KEYS.entries())
    for (const [network, prefix] of COSMOS) {
      const isEth = network === "injective";
      const pair = new PrivKeySecp256k1(key);
      const publicKey = pair.getPubKey();
      const raw = isEth ? publicKey.getEthAddress() : publicKey.getCosmosAddress();
      const address = new keplr.Bech32Address(raw).toBech32(prefix);
      const text = textFor(network, address, ids[index]);
      const add = (library, form, signature, expect) =>
        rows.push(row(library, network, address, text, form, signature, expect));
      const byKeplr = (message, signer = address) => {
        const document = keplr.serializeSignDoc(keplr.makeADR36AminoSignDoc(signer, message));
        const { r, s } = pair.signDigest32(isEth ? Hash.keccak256(document) : Hash.sha256(document));
        const signature = Buffer.concat([r, s]);
        const algorithm = isEth ? "ethsecp256k1" : "secp256k1";
        if (signer === address &&
          !keplr.verifyADR36Amino(prefix, signer, message, publicKey.toBytes(), signature, algorithm))
          throw new Error("Keplr doesn't accept its own signature");
        return signature;
      };
      const sign = (message) => byKeplr(message).toString("base64");
      add("@keplr-wallet/cosmos", "base64", sign(text));
      add("@keplr-wallet/cosmos", "hex", byKeplr(text).toString("hex"));
      add("@keplr-wallet/cosmos", "signArbitrary json",
        JSON.stringify(keplr.encodeSecp256k1Signature(publicKey.toBytes(), byKeplr(text))));
      if (!isEth) {
        const wallet = await Secp256k1Wallet.fromKey(key, prefix);
        const data = { type: "sign/MsgSignData", value: { signer: address, data: Buffer.from(text).toString("base64") } };
        const signed = await wallet.signAmino(address, makeSignDoc([data], { gas: "0", amount: [] }, "", "", 0, 0));
        add("@cosmjs/amino", "base64", signed.signature.signature);
        add("@cosmjs/amino", "signAmino json", JSON.stringify(signed, null, 2));
      }
      altered(add, "@keplr-wallet/cosmos", sign, text);
      add("@keplr-wallet/cosmos", "another text", sign("gm"), "NO_MATCH");
      const elsewhere = new keplr.Bech32Address(raw).toBech32("juno");
      add("@keplr-wallet/cosmos", "another chain's address", byKeplr(text, elsewhere).toString("base64"),
        isEth ? "NO_MATCH" : "SIGNED_ON_OTHER_CHAIN");
      add("ethers", "personal_sign", new ethers.Wallet("0x" + key.toString("hex")).signMessageSync(text), "SIGNED_AS_ETHEREUM");
      add("@keplr-wallet/cosmos", "address", address, "ADDRESS_PASTED");
    }
  return rows;
}
