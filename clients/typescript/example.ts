// Serve a customer from TypeScript: an account, a deposit, a trade, and a wallet that is verified.
// Argument: the address of a service with sample data. The API key is in CHAINTELLER_API_KEY.
import { generateKeyPairSync, sign } from "node:crypto";
import { connect, type components } from "chainteller-client";

const [address] = process.argv.slice(2);
if (address === undefined) throw new Error("the address of the service is missing");
const bank = connect(address, process.env["CHAINTELLER_API_KEY"] ?? "");

type Refusal = components["schemas"]["ErrorBody"] | components["schemas"]["Problem"];

function answerOf<T>(reply: { data?: T; error?: Refusal }): T {
  if (reply.data === undefined) {
    throw new Error(`${reply.error?.error}: ${reply.error?.message}`);
  }
  return reply.data;
}

function base58(bytes: Uint8Array): string {
  const letters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
  let number = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  for (; number > 0n; number /= 58n) text = letters.charAt(Number(number % 58n)) + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return letters.charAt(0).repeat(Math.max(zeros, 0)) + text;
}

function equal(left: unknown, right: unknown): void {
  if (left !== right) throw new Error(`${String(left)} isn't ${String(right)}`);
}

const account = answerOf(
  await bank.POST("/trading-accounts", {
    body: { bankAccountId: "DDA-1001", bankAccountType: "checking" },
  }),
);
const tradingAccountId = account.id;
const deposit = answerOf(
  await bank.POST("/trading-accounts/{tradingAccountId}/deposits", {
    params: { path: { tradingAccountId }, header: { "Idempotency-Key": "typescript-deposit" } },
    body: { amount: "500.00", currency: { type: "deposit-token-currency", id: "DPT_USD" } },
  }),
);
equal(deposit.type, "deposit-transaction");
const markets = answerOf(
  await bank.GET("/trading/markets", { params: { query: { "filter[name]": "sol-usd" } } }),
);
equal(markets.data[0]?.marketName, "sol-usd");
const quotes = answerOf(
  await bank.POST("/trading/markets/{market}/quotes", {
    params: { path: { market: "sol-usd" }, query: { side: "buy" } },
    body: { amount: "100.00", side: "buy" },
  }),
);
const quote = quotes.data[0];
if (quote === undefined) throw new Error("there is no quote");
const trade = answerOf(
  await bank.POST("/trading/quotes/{quoteId}", {
    params: { path: { quoteId: quote.id } },
    body: { tradingAccountId },
  }),
);
equal(trade.status satisfies "processing" | "executed" | "settled" | "cancelled" | "failed", "processing");
equal(trade.price, quote.price);
const transactions = answerOf(
  await bank.GET("/trading-accounts/{tradingAccountId}/transactions", {
    params: { path: { tradingAccountId } },
  }),
);
for (const each of transactions.data) {
  if (each.type === "trade-execution-transaction") equal(each.market, "sol-usd");
  else equal(each.amount, "500.00");
}
equal(transactions.data.length, 2);

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
const wallet = base58(raw);
const blockchainAccount = answerOf(
  await bank.POST("/blockchain-accounts", { body: { tradingAccountId, network: "solana" } }),
);
const path = { blockchainAccountId: blockchainAccount.id };
const counterparty = answerOf(
  await bank.POST("/counterparties", { body: { address: wallet, network: "solana" } }),
);
equal(counterparty.type, "counterparty");
const challenge = answerOf(
  await bank.POST("/blockchain-accounts/{blockchainAccountId}/1P-counterparty-ownership-challenges", {
    params: { path },
    body: { counterpartyId: counterparty.id },
  }),
);
const signature = base58(sign(null, Buffer.from(challenge.challenge, "utf8"), privateKey));
const claim = answerOf(
  await bank.POST("/blockchain-accounts/{blockchainAccountId}/1P-counterparty-ownership-claims", {
    params: { path },
    body: {
      challengeId: challenge.id,
      completedChallenge: signature,
      counterpartyId: counterparty.id,
    },
  }),
);
const linked = answerOf(
  await bank.POST("/blockchain-accounts/{blockchainAccountId}/counterparties", {
    params: { path },
    body: { address: wallet, network: "solana", ownershipClaimId: claim.id },
  }),
);
equal(linked.type, "VerifiedCounterparty1P");
const listed = answerOf(
  await bank.GET("/blockchain-accounts/{blockchainAccountId}/counterparties", { params: { path } }),
);
equal(listed.data[0]?.address, wallet);

const refused = await bank.GET("/trading-accounts/{tradingAccountId}", {
  params: { path: { tradingAccountId: "TDA_unknown" } },
});
equal(refused.error?.error, "NOT_FOUND" satisfies Refusal["error"]);
console.log(`done: ${trade.id} ${linked.id}`);
