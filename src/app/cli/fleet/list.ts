// `sendwerk fleet list` and `fleet plan`: which practice is on which host, and which moves would level the hosts.
import { json, table } from '../admin-text.ts';
import type { CommandResult } from '../config.ts';
import { counted, mebibytes } from '../progress.ts';
import { type Directory, gather, type Placed } from './directory.ts';
import { type Fleet, readFleet } from './file.ts';

const living = ({ hosts }: Fleet, { silent }: Directory): string[] =>
  Object.keys(hosts).filter((host) => hosts[host]?.heir === undefined && !silent.has(host));

/** What each host has, bytes. */
const loads = (hosts: readonly string[], placed: readonly Placed[]): Map<string, number> => {
  const bytes = new Map(hosts.map((host) => [host, 0]));
  for (const one of placed) bytes.set(one.host, (bytes.get(one.host) ?? 0) + one.bytes);
  return bytes;
};

const summary = (fleet: Fleet, directory: Directory): string => {
  const bytes = loads(living(fleet, directory), directory.placed);
  const lines = Object.entries(fleet.hosts).map(([host, { url, heir }]) => {
    if (heir !== undefined) return [host, url, `lost: ${fleet.heirOf(host)} answers for it`, null];
    if (directory.silent.has(host)) return [host, url, 'does not answer', null];
    const count = directory.placed.filter((one) => one.host === host).length;
    return [host, url, counted(count, 'practice'), mebibytes(bytes.get(host) ?? 0)];
  });
  return table(['HOST', 'URL', 'PRACTICES', 'DATA'], lines, 'The fleet has no hosts.');
};

const exitCodeOf = ({ silent, twice }: Directory): number => (silent.size + twice.length === 0 ? 0 : 1);

export const listFleet = async (values: {
  readonly fleet: string;
  readonly json: boolean;
}): Promise<CommandResult> => {
  const fleet = readFleet(values.fleet);
  const directory = await gather(fleet);
  const { placed, silent, twice } = directory;
  const exitCode = exitCodeOf(directory);
  if (values.json) {
    const data = placed.map(({ id, slug, host, bytes, hosts }) => ({ id, slug, host, bytes, hosts }));
    return { exitCode, output: json({ data, silent: Object.fromEntries(silent), twice }) };
  }
  const rows = placed.map(({ slug, host, bytes, id }) => [slug, host, mebibytes(bytes), id]);
  const practices = table(['SLUG', 'HOST', 'DATA', 'ID'], rows, 'There are no practices.');
  const notes = twice.map((note) => `${note}\n`).join('');
  return { exitCode, output: `${summary(fleet, directory)}\n${practices}${notes}` };
};

interface Move {
  readonly practice: Placed;
  readonly to: string;
}

/**
 * Moves from the fullest host to the emptiest, as long as one makes the two more alike; at most `most`. The largest practice that helps
 * goes first, so that few move. Pure.
 */
export const levelling = (hosts: readonly string[], placed: readonly Placed[], most: number): Move[] => {
  const bytes = loads(hosts, placed);
  const left = placed.filter(({ host }) => bytes.has(host)).toSorted((one, other) => other.bytes - one.bytes);
  const moves: Move[] = [];
  while (moves.length < most) {
    const ordered = [...bytes].toSorted(([, one], [, other]) => other - one);
    const [[full, much] = ['', 0], [empty, little] = ['', 0]] = [ordered[0], ordered.at(-1)];
    // Moved on, a practice of half the difference makes both alike; one of the whole difference only changes their places.
    const index = left.findIndex(
      ({ host, bytes: size }) => host === full && size > 0 && size < much - little,
    );
    const practice = left[index];
    if (practice === undefined) break;
    left.splice(index, 1);
    moves.push({ practice, to: empty });
    bytes.set(full, much - practice.bytes).set(empty, little + practice.bytes);
  }
  return moves;
};

export const planFleet = async (values: {
  readonly fleet: string;
  readonly most: string;
}): Promise<CommandResult> => {
  const fleet = readFleet(values.fleet);
  const directory = await gather(fleet);
  const moves = levelling(living(fleet, directory), directory.placed, Number.parseInt(values.most, 10) || 0);
  const lines = moves.map(
    ({ practice: { host, slug, bytes }, to }) =>
      `on ${host}: sendwerk fleet move ${slug} --to ${to}   # ${mebibytes(bytes)}\n`,
  );
  const said = lines.length === 0 ? 'No move makes the hosts more alike.\n' : lines.join('');
  return { exitCode: exitCodeOf(directory), output: `${summary(fleet, directory)}\n${said}` };
};
