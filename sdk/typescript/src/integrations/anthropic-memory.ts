/**
 * Anthropic's memory tool: the model's files are kept by Everwhen, every version with its date.
 *
 *     import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
 *     const tool = betaMemoryTool(memoryFiles(memory));
 */
import type { MemoryClient } from "../memory.ts";
import type { FileCommand, Time } from "../types.ts";

/** A command as the model gives it: the name is optional, since each handler knows its own. */
type Given = object;

/** What answers each command; throws what the model must be told. */
export interface MemoryFiles {
  view(command: Given): Promise<string>;
  create(command: Given): Promise<string>;
  str_replace(command: Given): Promise<string>;
  insert(command: Given): Promise<string>;
  delete(command: Given): Promise<string>;
  rename(command: Given): Promise<string>;
}

/** The handlers of the memory tool, over the files of a memory. `asOf` views them as they were at that time. */
export function memoryFiles(memory: MemoryClient, options: { asOf?: Time } = {}): MemoryFiles {
  const run = async (name: FileCommand["command"], given: Given): Promise<string> => {
    const seen = name === "view" && options.asOf !== undefined ? { as_of: options.asOf } : {};
    const answer = await memory.runFileCommand({ ...given, ...seen, command: name } as FileCommand);
    if (answer.is_error) throw new Error(answer.text);
    return answer.text;
  };
  return {
    view: (command) => run("view", command),
    create: (command) => run("create", command),
    str_replace: (command) => run("str_replace", command),
    insert: (command) => run("insert", command),
    delete: (command) => run("delete", command),
    rename: (command) => run("rename", command),
  };
}
