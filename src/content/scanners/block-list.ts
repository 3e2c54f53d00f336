// The operator's own list of hosts that no link may point to: a text file with one host on each line; `#` begins a comment.
// A listed domain covers its subdomains. The file is read again after a change; until then the former list is used.
import { open } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { domainToASCII } from 'node:url';
import type { Log } from '#src/kernel/log.ts';
import type { Listing } from '#src/kernel/scanner-report.ts';
import { type Clock, toIsoOrNull } from '#src/kernel/time.ts';
import { BLOCKING_WEIGHT } from '../assessment.ts';
import type { ScannerHealth } from './guard.ts';

/** Some 500,000 hosts. */
const MAX_FILE_BYTES = 10 * 1_024 * 1_024;
/** Requests are served between two batches of lines. */
const LINES_A_TURN = 10_000;
const MAX_HOST_CHARACTERS = 253;
const HOST = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
const ASCII = /^[\x00-\x7f]*$/;

const LOCAL = 'local';
/** One listing blocks; at most this many are shown. */
const MAX_FOUND = 20;

export interface BlockList {
  /** The listings of `hosts`, which are lower-case A-labels. */
  find(hosts: readonly string[]): readonly Listing[];
  isConfigured(): boolean;
  /** Reads the file if it has changed. Never rejects; the log and `health` show a failure. */
  refresh(): Promise<void>;
  health(): ScannerHealth;
}

interface Parsed {
  readonly hosts: ReadonlySet<string>;
  /** The number of the first line that is not a host; null if there is none. */
  readonly badLine: number | null;
}

/** The host in lower-case A-labels; null if it is not a host. */
const hostOf = (text: string): string | null => {
  const host = ASCII.test(text) ? text.toLowerCase() : domainToASCII(text);
  const bare = host.replace(/^\*?\./, '').replace(/\.$/, '');
  return bare.length <= MAX_HOST_CHARACTERS && HOST.test(bare) ? bare : null;
};

const parse = async (text: string): Promise<Parsed> => {
  const hosts = new Set<string>();
  let badLine: number | null = null;
  let number = 0;
  for (const line of text.split('\n')) {
    number += 1;
    if (number % LINES_A_TURN === 0) await nextTurn();
    const entry = line.replace(/#.*/, '').trim();
    if (entry === '') continue;
    const host = hostOf(entry);
    if (host === null) badLine ??= number;
    else hosts.add(host);
  }
  return { hosts, badLine };
};

/** Null if the file is still the version that was `seen`. Rejects with the reason if it cannot be used. */
const readChanged = async (path: string, seen: string): Promise<{ version: string; text: string } | null> => {
  const file = await open(path, 'r');
  try {
    const { ino, size, mtimeMs } = await file.stat();
    const version = `${path} ${ino} ${size} ${mtimeMs}`;
    if (version === seen) return null;
    const content = Buffer.alloc(Math.min(size, MAX_FILE_BYTES) + 1);
    const { bytesRead } = await file.read(content, 0, content.length, 0);
    if (bytesRead > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES} bytes`);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content.subarray(0, bytesRead));
    return { version, text };
  } finally {
    await file.close();
  }
};

const isBelow = (hosts: ReadonlySet<string>, host: string): boolean => {
  for (let name = host; ; name = name.slice(name.indexOf('.') + 1)) {
    if (hosts.has(name)) return true;
    if (!name.includes('.')) return false;
  }
};

/** `path` reads the current configuration; it returns undefined if there is no list. */
export const createBlockList = (path: () => string | undefined, clock: Clock, log: Log): BlockList => {
  let hosts: ReadonlySet<string> | null = null;
  /** The version that was read last, also if it could not be used. */
  let seen = '';
  let broken = false;
  let lastFailureAt: number | null = null;
  let refreshing: Promise<void> = Promise.resolve();

  const hasFailed = (file: string, facts: Readonly<Record<string, unknown>>): void => {
    // A failure is logged once, not at each refresh.
    if (!broken) log.warn({ file, ...facts }, 'link block list not usable: the former one stays in force');
    broken = true;
    lastFailureAt = clock.now();
  };

  const read = async (file: string): Promise<void> => {
    const changed = await readChanged(file, seen);
    if (changed === null) return;
    const parsed = await parse(changed.text);
    seen = changed.version;
    broken = false;
    if (parsed.badLine !== null) hasFailed(file, { line: parsed.badLine });
    // At the start there is no former list, and the good lines of a bad one are better than none.
    if (parsed.badLine !== null && hosts !== null) return;
    hosts = parsed.hosts;
    log.info({ file, hosts: hosts.size }, 'link block list read');
  };

  const refresh = async (): Promise<void> => {
    const file = path();
    if (file === undefined) {
      [hosts, seen, broken] = [null, '', false];
      return;
    }
    try {
      await read(file);
    } catch (error) {
      seen = '';
      hasFailed(file, { err: error });
    }
  };

  return {
    find: (asked) => {
      const list = hosts;
      if (list === null || list.size === 0) return [];
      return asked
        .filter((host) => isBelow(list, host))
        .slice(0, MAX_FOUND)
        .map((host) => ({ host, list: LOCAL, weight: BLOCKING_WEIGHT }));
    },
    isConfigured: () => path() !== undefined,
    refresh: () => {
      refreshing = refreshing.then(refresh);
      return refreshing;
    },
    health: () => ({
      name: 'link_blocklist',
      state: path() === undefined ? 'off' : broken ? 'failing' : 'ok',
      failures: broken ? 1 : 0,
      last_failure_at: toIsoOrNull(lastFailureAt),
    }),
  };
};
