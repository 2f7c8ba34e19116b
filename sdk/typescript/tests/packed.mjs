// The story with the package as it is installed. Usage: packed.mjs NAME-OF-THE-RUNTIME; the server as in client.test.ts.

import * as everwhen from "everwhen";
import { randomUUID } from "node:crypto";
import process from "node:process";
import { story } from "./story.js";

const client = new everwhen.Everwhen({ url: process.env.EVERWHEN_SERVER, key: process.env.EVERWHEN_KEY });
await story(everwhen, client, `packed-${randomUUID()}`);
console.log(`${process.argv[2]}: ok`);
