import createClient, { type Client } from "openapi-fetch";
import type { paths } from "./api.js";

export type { components, operations, paths } from "./api.js";

/** The calls of the service at an address such as https://teller.bank.example, under an API key. */
export function connect(address: string, apiKey: string): Client<paths> {
  return createClient<paths>({ baseUrl: address, headers: { Authorization: `Bearer ${apiKey}` } });
}
