// Whether public names of the service can be connected to: from this machine, or by ssh from another one, whose bash connects.
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { SECOND } from '#src/kernel/time.ts';
import type { PortFacts } from './network-rules.ts';

export interface Place extends Pick<PortFacts, 'where' | 'what'> {
  /** A name, or an address. */
  readonly host: string;
  readonly port: number;
}

const WITHIN_MS = 6 * SECOND;

/** Null where a connection is made. */
export const reach = (host: string, port: number, signal: AbortSignal): Promise<string | null> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, signal });
    const end = (error: string | null): void => {
      socket.destroy();
      resolve(error);
    };
    socket.setTimeout(WITHIN_MS, () => end(`no answer within ${WITHIN_MS / SECOND} s`));
    socket.once('connect', () => end(null));
    socket.once('error', ({ message }) => end(message));
  });

/** `user@host` or `host`, nothing that ssh could take for an option. */
export const isSshTarget = (text: string): boolean =>
  /^(?:[A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9][A-Za-z0-9.:-]*$/.test(text);

/** A line for each place: its number and what came of it. */
const scriptOf = (places: readonly Place[]): string =>
  places
    .map(
      ({ host, port }, index) =>
        `(timeout ${WITHIN_MS / SECOND} bash -c 'exec 3<>/dev/tcp/${host}/${port}' 2>/dev/null && echo '${index} open' || echo '${index} closed') &\n`,
    )
    .join('')
    .concat('wait\n');

/** Rejects where ssh fails. Hosts are names of the configuration, which have no character that a shell reads. */
export const reachFrom = (
  target: string,
  places: readonly Place[],
  signal: AbortSignal,
  ssh = 'ssh',
): Promise<PortFacts[]> =>
  new Promise((resolve, reject) => {
    const child = spawn(ssh, ['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=10', '--', target, 'bash', '-s'], {
      stdio: ['pipe', 'pipe', 'pipe'],
      signal,
    });
    let [out, said] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString('latin1');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString('latin1');
    });
    child.stdin.on('error', () => undefined);
    child.once('error', reject);
    child.once('close', (code) => {
      if (code !== 0) return reject(new Error(`ssh ${target}: ${said.trim() || `exit code ${code}`}`));
      const open = new Set(out.split('\n').flatMap((line) => /^(\d+) open$/.exec(line)?.[1] ?? []));
      resolve(
        places.map(({ where, what }, index) => ({
          where,
          what,
          error: open.has(String(index)) ? null : 'no connection',
        })),
      );
    });
    child.stdin.end(scriptOf(places));
  });
