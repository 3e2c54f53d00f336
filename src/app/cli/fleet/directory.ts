// Which practice is on which host, as the hosts say themselves.
import { readFile } from 'node:fs/promises';
import { Secret } from '#src/kernel/secret.ts';
import type { DirectoryEntry } from '#src/operations/directory-route.ts';
import { type AdminApi, createAdminApi } from '../admin-api.ts';
import { CommandError } from '../command.ts';
import type { Fleet, FleetHost } from './file.ts';

export interface Placed extends DirectoryEntry {
  /** Key of the host. */
  readonly host: string;
}

export interface Directory {
  readonly placed: readonly Placed[];
  /** Hosts that are not said to be lost and do not answer, with why. */
  readonly silent: ReadonlyMap<string, string>;
  /** Sentences about practices that two hosts have. */
  readonly twice: readonly string[];
}

/** Throws CommandError where the token cannot be read. */
export const apiOf = async ({ url, token_file }: FleetHost): Promise<AdminApi> => {
  const token = await readFile(token_file, 'utf8').catch((error: Error) => {
    throw new CommandError(`${token_file} cannot be read: ${error.message}`);
  });
  return createAdminApi({ origin: url, token: new Secret(token.trim()) });
};

const ask = async (host: FleetHost): Promise<readonly DirectoryEntry[]> => {
  const { data } = await (await apiOf(host)).list<DirectoryEntry>('/api/admin/directory');
  return data;
};

/** Hosts that are lost are not asked. */
export const gather = async ({ hosts }: Fleet): Promise<Directory> => {
  const living = Object.entries(hosts).filter(([, { heir }]) => heir === undefined);
  const answers = await Promise.allSettled(living.map(([, host]) => ask(host)));
  const silent = new Map<string, string>();
  const placed = new Map<string, Placed>();
  const twice: string[] = [];
  for (const [index, answer] of answers.entries()) {
    const host = living[index]?.[0] ?? '';
    if (answer.status === 'rejected') {
      if (!(answer.reason instanceof CommandError)) throw answer.reason;
      silent.set(host, answer.reason.message);
      continue;
    }
    for (const entry of answer.value) {
      const before = placed.get(entry.id);
      if (before === undefined) placed.set(entry.id, { ...entry, host });
      else
        twice.push(
          `TWICE: ${entry.slug} (${entry.id}) works on ${before.host} and on ${host}: end one of them (\`tenant erase\`); what comes for it goes to ${before.host}`,
        );
    }
  }
  return { placed: [...placed.values()], silent, twice };
};

/** Finds a practice by its id or slug. Throws CommandError where no host has it, or several have one with that slug. */
export const practiceNamed = ({ placed, silent }: Directory, name: string): Placed => {
  const named = name.toLowerCase();
  const [found, ...more] = placed.filter(({ id, slug }) => id === named || slug === named);
  if (more.length > 0) throw new CommandError(`several hosts have a practice ${name}: name its id`);
  if (found !== undefined) return found;
  const unasked = silent.size === 0 ? '' : `; not asked: ${[...silent.keys()].join(', ')}`;
  throw new CommandError(`no host has a practice ${name}${unasked}; \`fleet list\` shows them`);
};
