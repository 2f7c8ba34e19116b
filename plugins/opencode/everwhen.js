// Everwhen for opencode: a session begins with what matters from earlier ones, a prompt finds what was said about it, and what is
// said is stored with its time. `everwhen connect opencode` puts this file in place; `everwhen disconnect opencode` removes it.
import { spawn } from "node:child_process";

const COMMAND = ["everwhen", "hook", "opencode"];
const LIMIT_MS = 8000;

/** Hands an event to the program. Whatever happens, the answer is an object. */
function hook(event) {
  return new Promise((resolve) => {
    let answer = "";
    const child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "ignore"] });
    const timer = setTimeout(() => child.kill(), LIMIT_MS);
    const end = () => {
      clearTimeout(timer);
      try {
        resolve(JSON.parse(answer));
      } catch {
        resolve({});
      }
    };
    child.on("error", end);
    child.on("close", end);
    child.stdout.on("data", (piece) => (answer += piece));
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(event));
  });
}

const textOf = (parts) => parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored).map((part) => part.text).join("\n").trim();

export const Everwhen = async ({ client, directory }) => {
  const started = new Set();
  const told = (name, session, more) => hook({ hook_event_name: name, session_id: session, cwd: directory, ...more });
  return {
    "chat.message": async (input, output) => {
      const session = input.sessionID ?? output.message.sessionID;
      const prompt = textOf(output.parts);
      if (!prompt) return;
      const contexts = [];
      if (!started.has(session)) {
        started.add(session);
        contexts.push((await told("session.start", session)).context);
      }
      contexts.push((await told("prompt", session, { prompt, message_id: output.message.id })).context);
      const text = contexts.filter(Boolean).join("\n\n");
      if (text) {
        const id = `prt_everwhen${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`;
        output.parts.push({ id, sessionID: session, messageID: output.message.id, type: "text", text, synthetic: true });
      }
    },
    event: async ({ event }) => {
      if (event.type !== "session.idle") return;
      const session = event.properties.sessionID;
      const { data } = await client.session.messages({ path: { id: session } });
      const last = (data ?? []).filter((one) => one.info.role === "assistant").at(-1);
      const text = last && textOf(last.parts);
      if (text) await told("reply", session, { text, message_id: last.info.id });
    },
    "experimental.session.compacting": async (input, output) => {
      const { context } = await told("session.start", input.sessionID);
      if (context) output.context.push(context);
    },
  };
};
