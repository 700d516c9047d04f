// A real OpenID provider for tests: oidc-provider on a free port, with people who can be changed.
//
// Argument: the folder that has node_modules/oidc-provider. It prints its address, and then answers
// what the tests change: PUT /test/people/NAME {groups, subject?} (null removes the person),
// POST /test/keys (another key signs from now on), POST /test/clock {seconds}.
import { createRequire } from "node:module";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.argv[2], "package.json"));
const { default: Provider } = await import(pathToFileURL(require.resolve("oidc-provider")));

const people = new Map();
const audiences = new Set(process.argv.slice(3));
const systemNow = Date.now;
let provider;
let keys = [];

function addKey() {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  keys = [{ ...privateKey.export({ format: "jwk" }), kid: randomUUID(), use: "sig", alg: "RS256" }];
}

function open(address) {
  provider = new Provider(address, {
    clients: [
      {
        client_id: "chainteller",
        application_type: "native",
        token_endpoint_auth_method: "none",
        grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
        redirect_uris: [],
        response_types: [],
      },
    ],
    jwks: { keys },
    cookies: { keys: ["of a test"] },
    clientBasedCORS: () => false,
    pkce: { required: () => false },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    findAccount: async (_, id) =>
      people.has(id) ? { accountId: id, claims: async () => ({ sub: id }) } : undefined,
    extraTokenClaims: async (_, token) => {
      const person = people.get(token.accountId);
      return person && { preferred_username: person.name, groups: person.groups };
    },
    ttl: { AccessToken: 60, RefreshToken: 3600, Session: 3600, Grant: 3600, Interaction: 600, DeviceCode: 600, IdToken: 60 },
    features: {
      deviceFlow: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: async (_, resource) => ({
          audience: resource,
          scope: "",
          accessTokenFormat: "jwt",
          accessTokenTTL: 60,
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
  });
}

async function body(request) {
  let text = "";
  for await (const part of request) text += part;
  return text ? JSON.parse(text) : null;
}

async function change(request) {
  const [, , what, name] = request.url.split("/");
  const told = await body(request);
  if (what === "people" && told === null) people.delete(name);
  if (what === "people" && told !== null) people.set(name, { name: told.name ?? name, ...told });
  if (what === "keys") {
    addKey();
    open(provider.issuer);
  }
  if (what === "clock") Date.now = () => systemNow() + told.seconds * 1000;
}

const server = createServer(async (request, response) => {
  if (!request.url.startsWith("/test/")) return provider.callback()(request, response);
  await change(request);
  response.writeHead(204).end();
});
addKey();
server.listen(0, "127.0.0.1", () => {
  const address = `http://127.0.0.1:${server.address().port}`;
  open(address);
  console.log(address);
});
