// The client's story, on fetch alone, so that it runs in Node, Deno, Bun and a browser: throws where it is not as told.

import type { Everwhen } from "../src/index.ts";

/** Anything that the package exports is used through what is given, so that the built package can be told the same story. */
export async function story(everwhen: typeof import("../src/index.ts"), client: Everwhen, name: string): Promise<void> {
  const ana = client.memory(name);
  const moma = new Date("2023-01-08T12:49:00Z");
  const receipt = await ana.remember("I visited MoMA today.", { at: moma, tags: ["art"] });
  same(receipt.conversation_time, "2023-01-08T12:49:00Z");
  await ana.remember("The Met has a fine armor hall.", { at: "2023-01-15T10:00:00Z" });

  const found = await ana.recall("when did I visit MoMA?");
  same(found.items[0]?.entry.id, receipt.id);
  same(found.briefing.includes("2023-01-08"), true);
  const lines = [];
  for await (const line of ana.timeline()) lines.push(line.text);
  same(lines, ["2023-01-08 – I visited MoMA today.", "2023-01-15 – The Met has a fine armor hall. (+7 days)"]);

  const corrected = await ana.correct(receipt.id, "I visited the Louvre today.", { reason: "it was the Louvre" });
  const then = new Date(Date.parse(corrected.creation_time) - 1);
  same((await ana.entries({ limit: 1 }).toList())[0]?.content, "I visited the Louvre today.");
  same((await ana.entries({ as_of: then }).first())?.content, "I visited MoMA today.");
  same((await ana.recall("MoMA", { as_of: then })).items[0]?.entry.content, "I visited MoMA today.");

  await ana.rememberAll(Array.from({ length: 1203 }, (_, n) => ({ role: "user" as const, content: `line ${n}` })));
  same((await ana.entries({ after: "2024-01-01T00:00:00Z" }).toList()).length, 1203);
  same((await ana.entries({ limit: 1101 }).toList()).length, 1101);

  const first = await ana.remember("Once.", { idempotencyKey: `${name}-once` });
  same(await ana.remember("Once.", { idempotencyKey: `${name}-once` }), first);
  await refused(everwhen.ConflictError, ana.remember("Twice.", { idempotencyKey: `${name}-once` }));
  await refused(everwhen.InvalidError, ana.remember("When?", { at: "2023-01-08 12:49" }));
  await refused(everwhen.NotFoundError, ana.conversation("nobody's"));
  await ana.putContext("Ana likes museums.");
  same((await ana.context()).content, "Ana likes museums.");
  same((await ana.forget({ whole_memory: true })).memories, 1);
  await refused(everwhen.NotFoundError, ana.get());
}

function same(value: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(value), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${left} is not ${right}`);
}

async function refused(kind: new (...args: never[]) => Error, promise: Promise<unknown>): Promise<void> {
  const failure = await promise.then(() => undefined, (error: unknown) => error);
  if (!(failure instanceof kind)) throw new Error(`${String(failure)} is not a ${kind.name}`);
}
