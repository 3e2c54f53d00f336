// What differs between a record before and after, field by field. Pure.

export interface Difference {
  /** `options.catch_all.mode` */
  readonly path: string;
  /** null: there was none. */
  readonly before: string | null;
  readonly after: string | null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const shown = (value: unknown): string | null => {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
};

/** Lists are compared whole. */
export const differences = (before: unknown, after: unknown, path = ''): readonly Difference[] => {
  if (isRecord(before) || isRecord(after)) {
    const was = isRecord(before) ? before : {};
    const is = isRecord(after) ? after : {};
    return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((key) =>
      differences(was[key], is[key], path === '' ? key : `${path}.${key}`),
    );
  }
  const [old, present] = [shown(before), shown(after)];
  return old === present ? [] : [{ path, before: old, after: present }];
};
