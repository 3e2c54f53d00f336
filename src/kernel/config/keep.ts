// How many backups are kept, as the configuration and the command say it. Pure.

export interface Keep {
  readonly days: number;
  readonly weeks: number;
  readonly months: number;
}

const UNITS = { d: 'days', w: 'weeks', m: 'months' } as const;

/** `7d4w12m`, in any order, each at most once; null where the text is something else, or keeps nothing. */
export const parseKeep = (text: string): Keep | null => {
  if (!/^(?:\d{1,4}[dwm]){1,3}$/.test(text)) return null;
  const keep = { days: 0, weeks: 0, months: 0 };
  for (const [, count, unit] of text.matchAll(/(\d+)([dwm])/g)) {
    const name = UNITS[unit as keyof typeof UNITS];
    if (keep[name] > 0) return null;
    keep[name] = Number(count);
  }
  return keep.days + keep.weeks + keep.months > 0 ? keep : null;
};
