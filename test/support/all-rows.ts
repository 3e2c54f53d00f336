// All rows of a list. A page may end before its limit, where its time is over, and does on a busy machine.
import type { List, TestApp } from './app.ts';

export const allRows = async <T>(app: TestApp, path: string, token: string): Promise<T[]> => {
  const rows: T[] = [];
  let next: string | null = path;
  while (next !== null) {
    const { data, next_cursor }: List<T> = (await app.request<List<T>>('GET', next, undefined, token)).body;
    rows.push(...data);
    next = next_cursor && `${path}${path.includes('?') ? '&' : '?'}cursor=${next_cursor}`;
  }
  return rows;
};
