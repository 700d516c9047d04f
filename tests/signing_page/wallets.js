// Wallets as they inject themselves. Each asks the test for its signatures, which has the keys.
window.asked = [];
const askTest = (name, method, params) => new Promise((resolve, reject) => {
  window.asked.push({ name, method, params, resolve, reject });
});
window.answerAsked = (value, code) => {
  const { resolve, reject } = window.asked.shift();
  if (code) reject(Object.assign(new Error(String(value)), { code })); else resolve(value);
};
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (each) => parseInt(each, 16));
const textOf = (bytes) => new TextDecoder().decode(bytes);
const eip1193 = (name) => ({
  request: ({ method, params }) => askTest(name, method, params),
});
const WALLETS = {
  "eip-1193": () => { window.ethereum = eip1193("eip-1193"); },
  "eip-6963": () => {
    const provider = eip1193("eip-6963");
    const detail = Object.freeze({
      info: { uuid: "350670db-19fa-4704-a166-e52e178b59d2", name: "Announced Wallet", icon: "data:,", rdns: "example" },
      provider,
    });
    const announce = () => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
    addEventListener("eip6963:requestProvider", announce);
    announce();
    window.ethereum = provider;
  },
  "wallet-standard": () => {
    const wallet = {
      version: "1.0.0", name: "Standard Wallet", icon: "data:,", chains: ["solana:mainnet"], accounts: [],
      features: {
        "standard:connect": {
          version: "1.0.0",
          connect: async () => ({
            accounts: (await askTest("wallet-standard", "connect")).map((address) => ({ address })),
          }),
        },
        "solana:signMessage": {
          version: "1.0.0",
          signMessage: async ({ account, message }) => [{
            signedMessage: message,
            signature: bytesOf(await askTest("wallet-standard", "sign", [textOf(message), account.address])),
          }],
        },
      },
    };
    const register = ({ register }) => register(wallet);
    addEventListener("wallet-standard:app-ready", ({ detail }) => register(detail));
    dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: register }));
  },
  unisat: () => {
    window.unisat = {
      requestAccounts: () => askTest("unisat", "accounts"),
      signMessage: (text, type) => askTest("unisat", "sign", [text, type]),
    };
  },
  "btc-providers": () => {
    window.RpcWallet = { BitcoinProvider: {
      request: (method, params) => askTest("btc-providers", method, params),
    } };
    window.btc_providers = [{ id: "RpcWallet.BitcoinProvider", name: "Rpc Wallet", icon: "data:," }];
  },
  keplr: () => {
    window.keplr = {
      enable: async () => {},
      getKey: async (chain) => ({ bech32Address: (await askTest("keplr", "accounts", [chain]))[0] }),
      signArbitrary: async (chain, signer, text) => ({
        pub_key: { type: "tendermint/PubKeySecp256k1", value: "" },
        signature: await askTest("keplr", "sign", [text, chain, signer]),
      }),
    };
  },
  gemwallet: () => {
    const answers = {
      "REQUEST_IS_INSTALLED/V3": () => ({ isInstalled: true }),
      "REQUEST_GET_PUBLIC_KEY/V3": async () => {
        const [address, publicKey] = await askTest("gemwallet", "accounts");
        return { address, publicKey };
      },
      "REQUEST_SIGN_MESSAGE/V3": async ({ message }) => {
        const signed = await askTest("gemwallet", "sign", [message]);
        return signed === null ? undefined : { signedMessage: signed };
      },
    };
    addEventListener("message", async ({ data }) => {
      if (data?.source !== "GEM_WALLET_MSG_REQUEST" || data.app !== "gem-wallet") return;
      const result = await answers[data.type](data.payload);
      const told = { source: "GEM_WALLET_MSG_RESPONSE", messagedId: data.messageId, result };
      postMessage(told, location.origin);
    });
  },
  tronlink: () => {
    const tronWeb = {
      defaultAddress: { base58: false },
      trx: { signMessageV2: (text) => askTest("tronlink", "sign", [text]) },
    };
    window.tronLink = {
      tronWeb,
      request: async ({ method }) => {
        tronWeb.defaultAddress.base58 = (await askTest("tronlink", method))[0];
        return { code: 200 };
      },
    };
  },
};
