// The parts of what is held of a person, which rooms hand in: the short ones first. Pure.
import type { Caller } from '#src/kernel/access.ts';
import type { PagedPart, PersonalData, ShortPart } from '#src/kernel/personal-data.ts';

export type Part = ShortPart | PagedPart;

export const isPaged = (part: Part): part is PagedPart => 'cursor' in part;

export const partsOf = (personalData: readonly PersonalData[]): readonly (readonly [string, Part])[] =>
  personalData
    .flatMap(({ shown = {} }) => Object.entries(shown))
    .sort(([, one], [, other]) => Number(isPaged(one)) - Number(isPaged(other)));

/** Names of the parts that the caller may not see. */
export const notShown = (parts: ReturnType<typeof partsOf>, { permissions }: Caller): string[] =>
  parts.flatMap(([name, { permission }]) => (permissions.has(permission) ? [] : [name]));
