// Durations as people write them in files: a whole number and one unit. `m` is minutes; months and years have no
// fixed length and are not offered.
import { parsedText } from './expected.ts';
import { DAY, HOUR, MINUTE, SECOND } from './time.ts';

const units = [
  ['d', DAY],
  ['h', HOUR],
  ['m', MINUTE],
  ['s', SECOND],
  ['ms', 1],
] as const;

/** Ten years: beyond any sensible setting, and far below what a millisecond count can hold. */
const MAX_DURATION = 3_650 * DAY;

/** Milliseconds, or null where the text is no duration of at most ten years. */
export const parseDuration = (text: string): number | null => {
  const match = /^(\d{1,12})(d|h|ms|m|s)$/.exec(text);
  const unit = units.find(([name]) => name === match?.[2]);
  if (!match || !unit) return null;
  const milliseconds = Number(match[1]) * unit[1];
  return milliseconds <= MAX_DURATION ? milliseconds : null;
};

/** The shortest form without a fraction: `90s`, `72h` as `3d`. */
export const formatDuration = (milliseconds: number): string => {
  const unit = milliseconds === 0 ? undefined : units.find(([, length]) => milliseconds % length === 0);
  return unit ? `${milliseconds / unit[1]}${unit[0]}` : `${milliseconds}${milliseconds === 0 ? 's' : 'ms'}`;
};

/** Duration within bounds (milliseconds, both inclusive); the parsed value is in milliseconds. */
export const durationBetween = (atLeast: number, atMost: number) =>
  parsedText(
    `a duration (ms, s, m, h, d) from ${formatDuration(atLeast)} to ${formatDuration(atMost)}`,
    (text) => {
      const milliseconds = parseDuration(text);
      return milliseconds !== null && milliseconds >= atLeast && milliseconds <= atMost ? milliseconds : null;
    },
  );

export const duration = durationBetween(0, MAX_DURATION);
