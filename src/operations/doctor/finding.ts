// The checks of `sendwerk doctor`, each by its number, and what one of them finds. Numbers stay what they are: documents and scripts
// name them. Pure.

export const findingStates = ['ok', 'warn', 'fail', 'skipped'] as const;
export type FindingState = (typeof findingStates)[number];

/** `fail`: mail is lost, refused or stands still, or will soon. `warn`: something works less well than it could. */
export interface Verdict {
  readonly state: FindingState;
  /** One sentence; where it was skipped, why. */
  readonly found: string;
  /** The command, the record or the line of the configuration that mends it; null where nothing has to be mended. */
  readonly mend: string | null;
}

export interface Finding extends Verdict {
  readonly number: number;
  readonly name: string;
}

export const checkNumbers = {
  configuration: 1,
  secrets: 2,
  'data directory': 3,
  disk: 4,
  descriptors: 5,
  clock: 6,
  daemon: 7,
  'registry and files': 8,
  integrity: 9,
  'consent ledgers': 10,
  backup: 11,
  replica: 12,
  'DNS records': 13,
  'reverse names': 14,
  SPF: 15,
  ports: 16,
  certificates: 17,
  'relay sign-in': 18,
  'relay extensions': 19,
  'round trip': 20,
  'bounce trip': 21,
} as const;
export type CheckName = keyof typeof checkNumbers;

/** Checks that send messages through the relays. */
export const tripNames = ['round trip', 'bounce trip'] as const satisfies readonly CheckName[];

export const ok = (found: string): Verdict => ({ state: 'ok', found, mend: null });
export const skipped = (found: string): Verdict => ({ state: 'skipped', found, mend: null });
export const warn = (found: string, mend: string): Verdict => ({ state: 'warn', found, mend });
export const fail = (found: string, mend: string): Verdict => ({ state: 'fail', found, mend });

/** Something that needs the data, before the first start. */
export const NOT_YET = skipped('not yet: the data come with the first start of the daemon');

const RANK: Readonly<Record<FindingState, number>> = { fail: 0, warn: 1, ok: 2, skipped: 3 };

/** The worst state among them; `ok` where there is none, or all were skipped. */
export const worstState = (findings: readonly Pick<Finding, 'state'>[]): Exclude<FindingState, 'skipped'> => {
  const states = findings.map(({ state }) => state);
  return (['fail', 'warn'] as const).find((state) => states.includes(state)) ?? 'ok';
};

/** Sorted by their numbers; those of one number with the worst first. */
export const inOrder = (findings: readonly Finding[]): Finding[] =>
  [...findings].sort((one, other) => one.number - other.number || RANK[one.state] - RANK[other.state]);

/** `1 file`, `1,200 files` */
export const counted = (count: number, one: string, more = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : more}`;

const MOST_NAMED = 5;
/** `a, b and 7 more` */
export const named = (names: readonly string[]): string => {
  const shown = names.slice(0, MOST_NAMED).join(', ');
  return names.length <= MOST_NAMED ? shown : `${shown} and ${names.length - MOST_NAMED} more`;
};
