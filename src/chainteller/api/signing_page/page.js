// The signing page: reads the messages of its token, has wallets sign them, and sends the signatures.

const here = location.pathname;
const byId = (id) => document.getElementById(id);
const bytesOf = (text) => new TextEncoder().encode(text);
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const isToSign = (each) => each.status === "open" && each.valid !== true;
const isSigned = (each) => each.status === "used" || each.valid === true;
const wallets = {};
let page;
let message;
let attempt = 0;

function say(text, kind = "") {
  const status = byId("status");
  status.className = kind;
  status.textContent = text;
}

// What went wrong, in words for the customer.
class Problem extends Error {}

async function call(path, options) {
  let reply;
  try {
    reply = await fetch(here + path, {
      cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer", redirect: "error", ...options,
    });
  } catch {
    throw new Problem("The bank's service cannot be reached. Check your connection and try again.");
  }
  const body = await reply.json().catch(() => ({}));
  if (reply.ok) return body;
  if (reply.status === 404) throw new Problem("This link is not valid. Ask your bank for a new one.");
  if (reply.status === 413) throw new Problem("This is too long for a signature.");
  if (reply.status === 429) throw new Problem("That was too often. Wait a minute and try again.");
  const first = body.details?.errors?.[0];
  if (first?.code === "SECRET_PASTED") {
    throw new Problem("This looks like a secret of your wallet. It was not kept. Move your funds to a new " +
      "wallet, and never enter a recovery phrase or private key on a page.");
  }
  const told = first?.message ?? body.message ?? "Something went wrong.";
  throw new Problem([told, body.details?.suggestion].filter(Boolean).join(" "));
}

async function send(messageId, signature) {
  say("Sending the signature\u2026");
  show(await call("/signatures", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ messageId, signature }),
  }));
}

// -- wallets: each has a name and a function that signs a message for its address ----------------

function requireAddress(address, accounts, same = (each) => each === address) {
  const found = accounts.find(same);
  if (found !== undefined) return found;
  const other = accounts[0] ? ` It shows ${accounts[0]}.` : "";
  throw new Problem(`This wallet does not have ${address} selected.${other} Select the address in your wallet ` +
    "and try again.");
}

function ethereum(provider) {
  return async ({ address, message }) => {
    const accounts = await provider.request({ method: "eth_requestAccounts" });
    const account = requireAddress(address, accounts, (each) => each.toLowerCase() === address.toLowerCase());
    const text = "0x" + hexOf(bytesOf(message));
    return provider.request({ method: "personal_sign", params: [text, account] });
  };
}

function solana(wallet) {
  return async ({ address, message }) => {
    const { accounts } = await wallet.features["standard:connect"].connect();
    requireAddress(address, accounts.map((each) => each.address));
    const account = accounts.find((each) => each.address === address);
    const asked = { account, message: bytesOf(message) };
    const [signed] = await wallet.features["solana:signMessage"].signMessage(asked);
    return hexOf(signed.signature);
  };
}

// UniSat and those that follow it (OKX and others).
function bitcoin(provider) {
  return async ({ address, message }) => {
    requireAddress(address, await provider.requestAccounts());
    const is_segwit = /^(bc|tb)1/.test(address);
    return provider.signMessage(message, is_segwit ? "bip322-simple" : "ecdsa");
  };
}

// Providers that are registered in btc_providers (WBIP 4), such as Xverse and Leather.
function bitcoinRpc(provider) {
  return async ({ address, message }) => {
    const reply = await provider.request("signMessage", { address, message });
    if (reply.error) throw reply.error;
    return reply.result.signature;
  };
}

function tron(provider) {
  return async ({ address, message }) => {
    await provider.request({ method: "tron_requestAccounts" });
    const tronWeb = provider.tronWeb || window.tronWeb;
    requireAddress(address, [tronWeb?.defaultAddress?.base58].filter(Boolean));
    return tronWeb.trx.signMessageV2(message);
  };
}

// Keplr (ADR-036).
function cosmos(provider) {
  return async ({ address, chain, message }) => {
    const chainId = chain.split(":")[1];
    await provider.enable(chainId);
    requireAddress(address, [(await provider.getKey(chainId)).bech32Address]);
    return (await provider.signArbitrary(chainId, address, message)).signature;
  };
}

// GemWallet puts nothing into the page: it's asked by messages, and silent where it isn't installed.
function askGemWallet(type, payload) {
  const messageId = Date.now() + Math.random();
  return new Promise((resolve, reject) => {
    addEventListener("message", function heard({ source, data }) {
      // "messagedId" is how it's spelled in the wallet's answers.
      const isAnswer = source === window && data?.source === "GEM_WALLET_MSG_RESPONSE";
      if (!isAnswer || data.messagedId !== messageId) return;
      removeEventListener("message", heard);
      if (data.error) reject(data.error);
      else if (data.result === undefined && payload) reject(Object.assign(new Error("declined"), { code: 4001 }));
      else resolve(data.result);
    });
    postMessage({ app: "gem-wallet", source: "GEM_WALLET_MSG_REQUEST", messageId, type, payload }, location.origin);
  });
}

function xrp(ask) {
  return async ({ address, message }) => {
    const site = { url: location.origin, title: document.title, favicon: null };
    const { address: selected, publicKey } = await ask("REQUEST_GET_PUBLIC_KEY/V3", site);
    requireAddress(address, [selected]);
    const { signedMessage } = await ask("REQUEST_SIGN_MESSAGE/V3", { ...site, message });
    return JSON.stringify({ publicKey, signature: signedMessage });
  };
}

const atPath = (path) => path.split(".").reduce((found, name) => found?.[name], window);

const SEARCHES = {
  evm() {
    addEventListener("eip6963:announceProvider", ({ detail }) =>
      add("evm", detail.info.name, detail.provider, ethereum));
    dispatchEvent(new Event("eip6963:requestProvider"));
    addEventListener("ethereum#initialized", () => add("evm", "Browser wallet", window.ethereum, ethereum));
    // An announced provider is usually this one, too: it goes last.
    setTimeout(() => add("evm", "Browser wallet", window.ethereum, ethereum), 200);
  },
  solana() {
    const register = (...wallets) => {
      for (const wallet of wallets) {
        if (wallet.features["solana:signMessage"] && wallet.features["standard:connect"]) {
          add("solana", wallet.name, wallet, solana);
        }
      }
      return () => {};
    };
    const api = Object.freeze({ register });
    addEventListener("wallet-standard:register-wallet", ({ detail }) => detail(api));
    dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail: api }));
  },
  bitcoin() {
    add("bitcoin", "UniSat Wallet", window.unisat, bitcoin);
    add("bitcoin", "OKX Wallet", window.okxwallet?.bitcoin, bitcoin);
    for (const each of window.btc_providers ?? []) add("bitcoin", each.name, atPath(each.id), bitcoinRpc);
  },
  tron() {
    add("tron", "TronLink", window.tron ?? window.tronLink, tron);
  },
  cosmos() {
    add("cosmos", "Keplr", window.keplr, cosmos);
  },
  xrp() {
    askGemWallet("REQUEST_IS_INSTALLED/V3").then(() => add("xrp", "GemWallet", askGemWallet, xrp));
  },
};

function add(family, name, provider, signer) {
  const known = wallets[family];
  if (!provider || known.some((each) => each.provider === provider)) return;
  known.push({ name: String(name).slice(0, 40), provider, sign: signer(provider) });
  if (family === message.family) drawWallets();
}

function drawWallets() {
  if (!(message.family in wallets)) {
    wallets[message.family] = [];
    SEARCHES[message.family]?.();
  }
  const found = wallets[message.family];
  byId("wallet-list").replaceChildren(...found.map((each) =>
    item(`Sign with ${each.name}`, () => sign(each))));
  byId("none-found").hidden = found.length > 0;
}

function item(label, pressed) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = label;
  button.addEventListener("click", pressed);
  const found = document.createElement("li");
  found.append(button);
  return found;
}

// A wallet may never answer: another attempt takes the place of one that waits.
async function sign(wallet) {
  const mine = ++attempt;
  const asked = message;
  say(`Waiting for ${wallet.name}. If nothing opens, open the wallet yourself, or press the button again.`);
  try {
    const signature = await wallet.sign(asked);
    if (mine === attempt) await send(asked.id, String(signature));
  } catch (error) {
    if (mine === attempt) say(wordsFor(error, wallet.name), "bad");
  }
}

function wordsFor(error, name) {
  if (error instanceof Problem) return error.message;
  if (error?.code === 4001) return `You declined in ${name}. Nothing was signed.`;
  if (error?.code === -32002) return `${name} already shows a request. Open it and answer there.`;
  return `${name} could not sign. It says: ${String(error?.message ?? error).slice(0, 200)}`;
}

// -- the page --------------------------------------------------------------------------------------

const CLOSED = {
  used: "Your bank has accepted the signature. You can close this page.",
  expired: "This link has expired. Ask your bank for a new one.",
  locked: "Too many signatures were tried. Ask your bank for a new link.",
};

function show(found) {
  page = found;
  const same = page.messages.find((each) => each.id === message?.id);
  const next = page.messages.find(isToSign);
  choose(same && isToSign(same) ? same : next ?? same ?? page.messages[0]);
  tell(page.messages.find((each) => each.id === page.sent));
}

// Show a message of the page; a wallet that waits to sign another one is given up.
function choose(chosen) {
  if (chosen.id !== message?.id) attempt += 1;
  message = chosen;
  byId("bank").textContent = page.bank;
  byId("address").textContent = message.address;
  byId("network").textContent = message.network;
  byId("expires").textContent = new Date(message.expires)
    .toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  byId("message").textContent = message.message ?? "";
  byId("text").textContent = message.text ?? "";
  byId("facts").hidden = false;
  for (const part of ["wallets", "elsewhere"]) byId(part).hidden = !isToSign(message);
  byId("several").hidden = page.messages.length < 2;
  byId("several-list").replaceChildren(...page.messages.map(drawChoice));
  drawWallets();
}

function drawChoice(each) {
  const state = isSigned(each) ? "signed" : isToSign(each) ? "to sign" : each.status;
  const found = item(`${each.address} on ${each.network}: ${state}`, () => {
    choose(each);
    tell();
  });
  if (each === message) found.firstChild.setAttribute("aria-current", "step");
  found.firstChild.disabled = !isToSign(each);
  return found;
}

function tell(sent) {
  const signed = page.messages.filter(isSigned).length;
  const all = page.messages.length;
  const count = all > 1 ? ` ${signed} of ${all} wallets are signed.` : "";
  if (sent?.valid === false) {
    say("Your bank has received a signature, but it is not of this message by this address. Select the " +
      "address in your wallet and sign again, or talk to your bank.", "bad");
  } else if (sent && isToSign(message)) {
    say(`Thank you. Your bank has received the signature.${count} Sign the next one below.`, "good");
  } else if (isToSign(message)) {
    say(message.received
      ? "Your bank has received a signature from this page. You can sign again if your bank asks you to."
      : `Sign the message below to show your bank that you control this address.${count}`);
  } else if (page.messages.every(isSigned)) {
    say(page.messages.every((each) => each.status === "used") ? CLOSED.used
      : `Thank you. Your bank has received the signature.${count} You can close this page.`, "good");
    byId("status").focus();
  } else {
    const other = page.messages.find((each) => !isSigned(each));
    say(`${CLOSED[other.status] ?? "This link is closed."}${count}`, "bad");
  }
}

byId("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(message.text);
    say("The text was copied.");
  } catch {
    getSelection().selectAllChildren(byId("text"));
    say("Press Ctrl+C or Command+C to copy the selected text.");
  }
});

byId("send").addEventListener("submit", async (event) => {
  event.preventDefault();
  attempt += 1;
  const field = byId("signature");
  const signature = field.value.trim();
  field.value = "";
  try {
    if (signature.length > 60_000) throw new Problem("This is too long for a signature.");
    await send(message.id, signature);
  } catch (error) {
    say(wordsFor(error, "This page"), "bad");
  }
});

try {
  show(await call("/message"));
} catch (error) {
  say(wordsFor(error, "This page"), "bad");
}
