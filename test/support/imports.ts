// Imports a file over HTTP and waits until the job has ended.
import type { z } from 'zod';
import type { importSchema, reportedRow } from '#src/audience/imports/schema.ts';
import type { List, Refusal, Sender, TestApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';

export type Import = z.infer<typeof importSchema>;
export type ReportedRow = z.infer<typeof reportedRow>;

type By = Pick<Sender, 'base' | 'token'>;

export const importEnded = async (app: TestApp, { base, token }: By, id: string): Promise<Import> => {
  let record: Import | undefined;
  await until('the import ends', async () => {
    record = (await app.request<Import>('GET', `${base}/imports/${id}`, undefined, token)).body;
    return record.finished_at !== null;
  });
  if (record === undefined) throw new Error('it was not asked for');
  return record;
};

const reportOf = async (app: TestApp, { base, token }: By, id: string): Promise<readonly ReportedRow[]> => {
  const rows: ReportedRow[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = await app.request<List<ReportedRow>>(
      'GET',
      `${base}/imports/${id}/report?limit=200${query}`,
      undefined,
      token,
    );
    rows.push(...page.body.data);
    cursor = page.body.next_cursor;
  }
  return rows;
};

/** Body and status are those of the request, where it was refused. */
export const importFile = async (
  app: TestApp,
  by: By,
  path: string,
  file: string | Uint8Array,
  type = 'text/csv',
): Promise<
  | { readonly status: 202; readonly record: Import; readonly report: readonly ReportedRow[] }
  | {
      readonly status: number;
      readonly body: Refusal;
      readonly record?: never;
      readonly report?: never;
    }
> => {
  const body = typeof file === 'string' ? Buffer.from(file) : file;
  const answer = await app.request<Import & Refusal>('POST', `${by.base}${path}`, body, by.token, {
    'Content-Type': type,
  });
  if (answer.status !== 202) return { status: answer.status, body: answer.body };
  const record = await importEnded(app, by, answer.body.id);
  return { status: 202, record, report: await reportOf(app, by, record.id) };
};
