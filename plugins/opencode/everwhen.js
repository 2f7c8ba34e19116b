// Everwhen for opencode: a session begins with what matters from earlier ones, a prompt finds what was said about it, and what is
// said is stored with its time. `everwhen connect opencode` puts this file in place; `everwhen disconnect opencode` removes it.
import { spawn } from "node:child_process";

const COMMAND = ["everwhen", "hook", "opencode"];
const LIMIT_MS = 8000;

// Events that the program has not answered yet.
const pending = new Set();

/** Hands an event to the program. Whatever happens, the answer is an object. */
function hook(event) {
  const answered = new Promise((resolve) => {
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
  pending.add(answered);
  answered.then(() => pending.delete(answered));
  return answered;
}

const textOf = (parts) => parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored).map((part) => part.text).join("\n").trim();

/** The last message of the model in each session, put together from events: when a session is idle, `opencode run` ends and can no longer be asked for it. */
class Replies {
  last = new Map();

  message({ id, sessionID, role }) {
    if (role === "assistant" && this.last.get(sessionID)?.id !== id) this.last.set(sessionID, { id, parts: new Map() });
  }

  part(part) {
    const reply = this.last.get(part.sessionID);
    if (reply?.id === part.messageID) reply.parts.set(part.id, part);
  }

  take(sessionID) {
    const reply = this.last.get(sessionID);
    this.last.delete(sessionID);
    return reply && { message_id: reply.id, text: textOf([...reply.parts.values()]) };
  }
}

export const Everwhen = async ({ directory }) => {
  const started = new Set();
  const replies = new Replies();
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
    event: async ({ event: { type, properties } }) => {
      if (type === "message.updated") replies.message(properties.info);
      if (type === "message.part.updated") replies.part(properties.part);
      if (type !== "session.idle") return;
      const reply = replies.take(properties.sessionID);
      if (reply?.text) await told("reply", properties.sessionID, reply);
    },
    // opencode waits for this before it ends.
    dispose: () => Promise.all(pending),
    "experimental.session.compacting": async (input, output) => {
      const { context } = await told("session.start", input.sessionID);
      if (context) output.context.push(context);
    },
  };
};
