// The signing page: reads the message of its token, has a wallet sign it, and sends the signature.

const here = location.pathname;
const byId = (id) => document.getElementById(id);
const bytesOf = (text) => new TextEncoder().encode(text);
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const shown = new Set();
let page;
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

async function send(signature) {
  say("Sending the signature\u2026");
  show(await call("/signatures", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ signature }),
  }));
}

// -- wallets: each has a name and a function that signs for the address --------------------------

function requireAddress(accounts, same = (each) => each === page.address) {
  const found = accounts.find(same);
  if (found !== undefined) return found;
  const other = accounts[0] ? ` It shows ${accounts[0]}.` : "";
  throw new Problem(`This wallet does not have ${page.address} selected.${other} Select the address in your wallet ` +
    "and try again.");
}

function ethereum(provider) {
  return async () => {
    const accounts = await provider.request({ method: "eth_requestAccounts" });
    const account = requireAddress(accounts, (each) => each.toLowerCase() === page.address.toLowerCase());
    const text = "0x" + hexOf(bytesOf(page.message));
    return provider.request({ method: "personal_sign", params: [text, account] });
  };
}

function solana(wallet) {
  return async () => {
    const { accounts } = await wallet.features["standard:connect"].connect();
    const address = requireAddress(accounts.map((each) => each.address));
    const account = accounts.find((each) => each.address === address);
    const message = bytesOf(page.message);
    const [signed] = await wallet.features["solana:signMessage"].signMessage({ account, message });
    return hexOf(signed.signature);
  };
}

// UniSat and those that follow it (OKX and others).
function bitcoin(provider) {
  return async () => {
    requireAddress(await provider.requestAccounts());
    const is_segwit = /^(bc|tb)1/.test(page.address);
    return provider.signMessage(page.message, is_segwit ? "bip322-simple" : "ecdsa");
  };
}

// Providers that are registered in btc_providers (WBIP 4), such as Xverse and Leather.
function bitcoinRpc(provider) {
  return async () => {
    const reply = await provider.request("signMessage", { address: page.address, message: page.message });
    if (reply.error) throw reply.error;
    return reply.result.signature;
  };
}

function tron(provider) {
  return async () => {
    await provider.request({ method: "tron_requestAccounts" });
    const tronWeb = provider.tronWeb || window.tronWeb;
    requireAddress([tronWeb?.defaultAddress?.base58].filter(Boolean));
    return tronWeb.trx.signMessageV2(page.message);
  };
}

const atPath = (path) => path.split(".").reduce((found, name) => found?.[name], window);

const SEARCHES = {
  evm() {
    addEventListener("eip6963:announceProvider", ({ detail }) =>
      add(detail.info.name, detail.provider, ethereum));
    dispatchEvent(new Event("eip6963:requestProvider"));
    addEventListener("ethereum#initialized", () => add("Browser wallet", window.ethereum, ethereum));
    // An announced provider is usually this one, too: it goes last.
    setTimeout(() => add("Browser wallet", window.ethereum, ethereum), 200);
  },
  solana() {
    const register = (...wallets) => {
      for (const wallet of wallets) {
        if (wallet.features["solana:signMessage"] && wallet.features["standard:connect"]) {
          add(wallet.name, wallet, solana);
        }
      }
      return () => {};
    };
    const api = Object.freeze({ register });
    addEventListener("wallet-standard:register-wallet", ({ detail }) => detail(api));
    dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail: api }));
  },
  bitcoin() {
    add("UniSat Wallet", window.unisat, bitcoin);
    add("OKX Wallet", window.okxwallet?.bitcoin, bitcoin);
    for (const each of window.btc_providers ?? []) add(each.name, atPath(each.id), bitcoinRpc);
  },
  tron() {
    add("TronLink", window.tron ?? window.tronLink, tron);
  },
};

function add(name, provider, signer) {
  if (!provider || shown.has(provider)) return;
  shown.add(provider);
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = `Sign with ${String(name).slice(0, 40)}`;
  button.addEventListener("click", () => sign(String(name).slice(0, 40), signer(provider)));
  const item = document.createElement("li");
  item.append(button);
  byId("wallet-list").append(item);
  byId("none-found").hidden = true;
}

// A wallet may never answer: another attempt takes the place of one that waits.
async function sign(name, signer) {
  const mine = ++attempt;
  say(`Waiting for ${name}. If nothing opens, open the wallet yourself, or press the button again.`);
  try {
    const signature = await signer();
    if (mine === attempt) await send(String(signature));
  } catch (error) {
    if (mine === attempt) say(wordsFor(error, name), "bad");
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
  used: "This wallet is verified. You can close this page.",
  expired: "This link has expired. Ask your bank for a new one.",
  locked: "Too many signatures were tried. Ask your bank for a new link.",
};

function show(found) {
  page = { ...page, ...found };
  byId("bank").textContent = page.bank;
  byId("address").textContent = page.address;
  byId("network").textContent = page.network;
  byId("expires").textContent = new Date(page.expires).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  byId("message").textContent = page.message ?? "";
  byId("text").textContent = page.text ?? "";
  byId("facts").hidden = false;
  const isOpen = page.status === "open" && page.valid !== true;
  for (const part of ["wallets", "elsewhere"]) byId(part).hidden = !isOpen;
  if (page.status !== "open") {
    say(CLOSED[page.status] ?? "This link is closed.", page.status === "used" ? "good" : "bad");
  } else if (page.valid === true) {
    say("Thank you. Your bank has received the signature. You can close this page.", "good");
    byId("status").focus();
  } else if (page.valid === false) {
    say("Your bank has received a signature, but it is not of this message by this address. Select the " +
      "address in your wallet and sign again, or talk to your bank.", "bad");
  } else if (page.received) {
    say("Your bank has received a signature from this page. You can sign again if your bank asks you to.");
  } else {
    say("Sign the message below to show your bank that you control this address.");
  }
}

byId("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(page.text);
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
    await send(signature);
  } catch (error) {
    say(wordsFor(error, "This page"), "bad");
  }
});

try {
  show(await call("/message"));
  SEARCHES[page.family]?.();
} catch (error) {
  say(wordsFor(error, "This page"), "bad");
}
