// The client against the real server, whose address is EVERWHEN_SERVER, with its operator's token in EVERWHEN_KEY.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as everwhen from "../src/index.ts";
import { story } from "./story.ts";

const url = process.env["EVERWHEN_SERVER"];
const key = process.env["EVERWHEN_KEY"];
const { Everwhen, InvalidError, MemoryClient, NotReachableError, APIError, VaultClient } = everwhen;

test("the story", () => story(everwhen, new Everwhen({ url, key }), randomUUID()));

/** A fetch that loses answers or refuses, by a plan, and keeps the idempotency keys it saw. */
function unreliable(plan: string[]): { fetch: typeof fetch; keys: (string | null)[] } {
  const keys: (string | null)[] = [];
  return {
    keys,
    fetch: async (input, init) => {
      keys.push(new Headers(init?.headers).get("idempotency-key"));
      const step = plan.shift() ?? "pass";
      if (/^\d+$/.test(step)) return new Response("", { status: Number(step), headers: { "retry-after": "0" } });
      const answer = await fetch(input, init);
      if (step === "lose the answer") {
        await answer.arrayBuffer();
        throw new TypeError("connection reset");
      }
      return answer;
    },
  };
}

for (const plan of [["lose the answer"], ["503", "502"], ["429", "lose the answer", "504"]]) {
  test(`a write that is sent again is stored once: ${plan.join(", ")}`, async () => {
    const { fetch, keys } = unreliable([...plan]);
    const memory = new Everwhen({ url, key, fetch, retryDelay: 1 }).memory(randomUUID());
    const receipt = await memory.remember("Once.");
    assert.deepEqual((await memory.entries().toList()).map((entry) => entry.id), [receipt.id]);
    assert.equal(new Set(keys.slice(0, plan.length + 1)).size, 1);
    assert.ok(keys[0]);
  });
}

test("retries come to an end", async () => {
  const { fetch, keys } = unreliable(Array(10).fill("503"));
  const memory = new Everwhen({ url, key, fetch, retries: 2, retryDelay: 1 }).memory(randomUUID());
  await assert.rejects(memory.remember("Never."), (error) => error instanceof APIError && error.status === 503);
  assert.equal(keys.length, 3);
});

test("what takes no idempotency key is not sent twice", async () => {
  const { fetch, keys } = unreliable(["lose the answer"]);
  const client = new Everwhen({ url, key, fetch, retryDelay: 1 });
  await assert.rejects(client.addKey({ vault: "default", label: "lost" }), NotReachableError);
  assert.equal(keys.length, 1);
  const made = (await client.keys()).filter((one) => one.label === "lost");
  assert.equal(made.length, 1);
  for (const one of made) await client.removeKey(one.id);
});

test("what to forget is one thing", async () => {
  const memory = new Everwhen({ url, key }).memory("nobody");
  assert.throws(() => memory.forget({}), TypeError);
  assert.throws(() => memory.forget({ entry: "ent_1", whole_memory: true } as never), TypeError);
});

test("a period with what is not said is still a period", async () => {
  const asked: string[] = [];
  const keep: typeof fetch = async (input, init) => {
    asked.push(`${init?.method} ${input} ${init?.body}`);
    return new Response("{}");
  };
  const memory = new Everwhen({ url: "http://server", fetch: keep }).memory("ana");
  const before = "2024-01-01T00:00:00Z";
  await memory.forget({ before, whole_memory: false, entry: undefined, after: null } as never);
  assert.deepEqual(asked, [`POST http://server/v1/vaults/default/forget {"memory":"ana","before":"${before}"}`]);
  assert.throws(() => memory.forget({ after: null } as never), TypeError);
});

for (const wrong of ["", ".", ".."]) {
  test(`a name that leads to another address is not sent: "${wrong}"`, async () => {
    const client = new Everwhen({ url: "http://server", fetch: neverSent });
    const ana = client.memory("ana");
    const uses = [
      () => client.vault(wrong),
      () => client.vault("v").memory(wrong).recall("private"),
      () => ana.forget({ entry: wrong }),
      () => ana.forget({ conversation: wrong }),
      () => ana.removeFact(wrong),
      () => client.removeKey(wrong),
    ];
    for (const use of uses) await assert.rejects(async () => use(), InvalidError);
  });
}

test("an invalid Date is not sent", async () => {
  const ana = new Everwhen({ url: "http://server", fetch: neverSent }).memory("ana");
  const never = new Date("nope");
  const uses = [
    () => ana.forget({ after: never, before: new Date() }),
    () => ana.remember("x", { at: never }),
    () => ana.remember("x", { metadata: { seen: [{ at: never }] } }),
    () => ana.remember("x", { metadata: { weight: NaN } }),
    () => ana.rememberAll([{ role: "user", content: "x", conversation_time: never }]),
    () => ana.recall("x", { as_of: never }),
    () => ana.entries({ after: never }).toList(),
    () => ana.timeline({ before: never }).toList(),
  ];
  for (const use of uses) await assert.rejects(async () => use(), InvalidError);
});

const neverSent: typeof fetch = async (input) => assert.fail(`${input} was sent`);

test("every operation has a method", async () => {
  const asked = new Set<string>();
  const refuse: typeof fetch = async (input, init) => {
    asked.add(`${init?.method} ${decodeURIComponent(new URL(String(input)).pathname).replaceAll("-id-", "{id}")}`);
    return new Response("", { status: 400 });
  };
  const client = new Everwhen({ url: "http://server", fetch: refuse });
  const things = [client, client.vault("{vault}"), client.vault("{vault}").memory("{memory}")];
  for (const thing of things) await callAll(thing);
  const document = JSON.parse(readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8"));
  const methods = new Set(["get", "put", "post", "patch", "delete"]);
  const expected = Object.entries<Record<string, unknown>>(document.paths).flatMap(([path, item]) =>
    Object.keys(item).filter((method) => methods.has(method)).map((method) => `${method.toUpperCase()} ${path.replace("{version}", "{id}")}`),
  );
  // Documents for people and for Prometheus, and the lesser of two health checks.
  const leftOut = new Set(["GET /metrics", "GET /openapi.json", "GET /healthz"]);
  assert.deepEqual([...asked].sort(), expected.filter((one) => !leftOut.has(one)).sort());
});

async function callAll(thing: object): Promise<void> {
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(thing))) {
    if (["constructor", "url", "vault", "memory"].includes(name)) continue;
    const method: (...values: unknown[]) => unknown = Reflect.get(thing, name);
    const isForgetting = name === "forget" && thing instanceof MemoryClient;
    const choices: unknown[][] = isForgetting
      ? [[{ entry: "-id-" }], [{ conversation: "-id-" }], [{ after: "-time-" }], [{ whole_memory: true }]]
      : name === "rememberAll" ? [[[{}]]]
      : method.length > 0 && !(thing instanceof VaultClient && name === "change") ? [["-id-", {}, {}]] : [[]];
    for (const values of choices) {
      const answer = method.apply(thing, values);
      const list = answer as { toList?: () => Promise<unknown> };
      await assert.rejects(async () => (list.toList ? await list.toList() : await answer), APIError);
    }
  }
}
