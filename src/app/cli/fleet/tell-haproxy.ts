// Tells a running HAProxy its maps anew, over its admin socket (management.txt of HAProxy, 9.3): all lines of a map are prepared as a
// new version, which takes the place of the present one at once. A reload would do as well, but ends kept connections of clients, and who
// sends on one at that moment gets no answer.
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { SECOND } from '#src/kernel/time.ts';
import { CommandError } from '../command.ts';

const PATIENCE_MS = 10 * SECOND;
/** A command with its lines has to fit into a buffer of 16 KiB (tune.bufsize). */
const MAX_LINES_BYTES = 8_192;

const inParts = (map: string): string[] => {
  const parts: string[] = [];
  let part = '';
  for (const line of map.split('\n')) {
    if (line === '') continue;
    if (part.length + line.length > MAX_LINES_BYTES) {
      parts.push(part);
      part = '';
    }
    part += `${line}\n`;
  }
  return part === '' ? parts : [...parts, part];
};

/** What HAProxy answers; it ends the connection after each command. */
const ask = async (socket: string, command: string): Promise<string> => {
  const connection = connect(socket);
  connection.setTimeout(PATIENCE_MS, () => connection.destroy(new Error('no answer')));
  connection.write(`${command}\n`);
  try {
    return (await text(connection)).trim();
  } catch (error) {
    throw new CommandError(`HAProxy cannot be told at ${socket}: ${(error as Error).message}`);
  }
};

/** Throws CommandError unless the answer is as it should be. */
const tell = async (socket: string, command: string, expected: RegExp): Promise<string> => {
  const answer = await ask(socket, command);
  const found = expected.exec(answer);
  if (found === null) throw new CommandError(`HAProxy does not take ${command.split('\n')[0]}: ${answer}`);
  return found[1] ?? '';
};

const NOTHING = /^$/;

/** `directory` as HAProxy's configuration names it. Throws CommandError; what was there before counts then. */
export const tellHaproxy = async (
  socket: string,
  directory: string,
  maps: Readonly<Record<string, string>>,
): Promise<void> => {
  for (const [name, map] of Object.entries(maps)) {
    const file = join(directory, name);
    const version = await tell(socket, `prepare map ${file}`, /^New version created: (\d+)$/);
    for (const part of inParts(map)) await tell(socket, `add map @${version} ${file} <<\n${part}`, NOTHING);
    await tell(socket, `commit map @${version} ${file}`, NOTHING);
  }
};
