// What starting a foreign program on loopback needs: a free port, knowing when it listens, ending it, and reading
// from /proc what it cost. Linux only, as the programs themselves are.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Between the first two looks at something that reports no change, and at most: a look costs CPU in two processes. */
const FIRST_POLL_MS = 10;
const LAST_POLL_MS = 100;
/** Of the time waited so far: what is waited too long is a tenth of it. */
const POLL_PART = 0.1;
/** What is not there by then does not come: alone the slowest needs a second, but a test machine may be busy. */
const START_TIMEOUT_MS = 60_000;
/** Time to end by itself before it is killed: what does not end is rare, and a busy machine may need long. */
const STOP_TIMEOUT_MS = 60_000;

/** Below those that Linux gives to connections and to listeners at port 0: only who asks here could take one meanwhile. */
const FIRST_PORT = 10_000;
const LAST_PORT = 32_767;
/** Each process walks on from a place of its own, so that two seldom try the same one. */
let lastPort = randomInt(FIRST_PORT, LAST_PORT);

/** A port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    lastPort = lastPort < LAST_PORT ? lastPort + 1 : FIRST_PORT;
    const port = lastPort;
    const server = net.createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Reads `+PID` and `-PID` a line. When nothing more can come, it ends the processes that are left. */
const REAPER = `
pids=
while read -r line; do
  pid=\${line#?} rest=
  for one in $pids; do [ "$one" = "$pid" ] || rest="$rest $one"; done
  case $line in +*) pids="$rest $pid" ;; *) pids=$rest ;; esac
done
[ -z "$pids" ] && exit
kill $pids
sleep 2
kill -9 $pids`;

let reaper: ChildProcess | undefined;

/**
 * `spawn` for programs that must not outlive this process, however it dies: a shell in a session of its own waits for the
 * end of our pipe, asks what still runs to end, and kills it two seconds later.
 */
export const spawnMortal = ((...words: Parameters<typeof spawn>) => {
  if (reaper === undefined) {
    reaper = spawn('sh', ['-c', REAPER], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    reaper.unref();
    (reaper.stdin as net.Socket).unref();
  }
  const { stdin } = reaper;
  const child = spawn(...words);
  stdin?.write(`+${child.pid}\n`);
  child.once('exit', () => stdin?.write(`-${child.pid}\n`));
  return child;
}) as typeof spawn;

/** Asks until the answer is true; throws with `what` after `timeoutMs`. */
export async function until(
  what: string,
  ask: () => Promise<boolean> | boolean,
  timeoutMs: number = START_TIMEOUT_MS,
): Promise<void> {
  const begin = performance.now();
  while (!(await ask())) {
    const waited = performance.now() - begin;
    if (waited > timeoutMs) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await pause(Math.min(LAST_POLL_MS, Math.max(FIRST_POLL_MS, POLL_PART * waited)));
  }
}

/**
 * Resolves once something listens at `address`. Throws where `child` ends before or never gets there, and then leaves
 * nothing running. `said` is added to the error.
 */
export async function untilListening(
  address: { readonly port: number; readonly host: string } | { readonly path: string },
  child: ChildProcess,
  said: () => string,
  timeoutMs: number = START_TIMEOUT_MS,
): Promise<void> {
  const ask = () => {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(
        `${child.spawnfile} ended at its start (${child.exitCode ?? child.signalCode}): ${said()}`,
      );
    }
    return canConnect(address);
  };
  try {
    await until(`${child.spawnfile} listens at ${JSON.stringify(address)}`, ask, timeoutMs);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

function canConnect(address: net.NetConnectOpts): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Sends `signal`, waits for the end, kills what does not end. Resolves with the exit code, null after a signal. */
export async function endProcess(
  child: ChildProcess,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, 'exit');
  child.kill(signal);
  const patience = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(patience);
  return child.exitCode;
}

/** The process and all that descend from it and live, the process first. */
export function processTree(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = statFields(Number(name))?.[PARENT];
    if (parent !== undefined)
      children.set(Number(parent), [...(children.get(Number(parent)) ?? []), Number(name)]);
  }
  const tree = [pid];
  for (const member of tree) tree.push(...(children.get(member) ?? []));
  return tree;
}

/** CPU seconds, user and system, of a process, its living descendants and its ended children it has waited for. */
export function cpuSeconds(pid: number): number {
  let ticks = 0;
  for (const member of processTree(pid)) {
    const fields = statFields(member);
    for (const field of CPU_TICKS) ticks += Number(fields?.[field] ?? 0);
  }
  return ticks / TICKS_PER_SECOND;
}

/** CPU seconds of this process's own children that have ended, and of what those had waited for. */
export function endedChildrenCpuSeconds(): number {
  const fields = statFields('self');
  return (
    (Number(fields?.[ENDED_CHILDREN_TICKS[0]]) + Number(fields?.[ENDED_CHILDREN_TICKS[1]])) / TICKS_PER_SECOND
  );
}

/** Peak resident memory in bytes, summed over the process and its living descendants: shared pages count for each. */
export const peakMemory = (pid: number): number => memory(pid, 'VmHWM');

/** The same as it is now. */
export const residentMemory = (pid: number): number => memory(pid, 'VmRSS');

function memory(pid: number, field: 'VmHWM' | 'VmRSS'): number {
  let kilobytes = 0;
  for (const member of processTree(pid)) {
    const status = readProc(member, 'status');
    kilobytes += Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
  }
  return kilobytes * 1024;
}

// proc(5): numbered from the state on, which follows the name in parentheses.
const PARENT = 1;
const ENDED_CHILDREN_TICKS = [13, 14] as const;
const CPU_TICKS = [11, 12, ...ENDED_CHILDREN_TICKS];
/** USER_HZ, which is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

function statFields(pid: number | 'self'): string[] | undefined {
  const stat = readProc(pid, 'stat');
  return stat === '' ? undefined : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Empty where the process has ended. */
function readProc(pid: number | 'self', file: 'stat' | 'status'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
