// Forms on websites and what was sent by them, in the tenant's file.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { type FormSettings, formSettings } from './schema.ts';

interface StoredForm {
  seq: number;
  id: string;
  settings_json: string;
  created_at: number;
  updated_at: number;
}

export interface FormRow extends Omit<StoredForm, 'settings_json'> {
  readonly settings: FormSettings;
}

export interface PostRow {
  seq: number;
  form_seq: number;
  posted_at: number;
  inbound_seq: number;
  message_seq: number | null;
  proved_at: number | null;
}

const rowOf = ({ settings_json, ...row }: StoredForm): FormRow => ({
  ...row,
  settings: formSettings.parse(JSON.parse(settings_json)),
});

export const formStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<Omit<StoredForm, 'seq'>>(
    `INSERT INTO website_forms (id, settings_json, created_at, updated_at)
     VALUES (:id, :settings_json, :created_at, :updated_at)`,
  );
  const update = db.prepare<[string, number, number]>(
    'UPDATE website_forms SET settings_json = ?, updated_at = ? WHERE seq = ?',
  );
  const remove = db.prepare<[number]>('DELETE FROM website_forms WHERE seq = ?');
  const list = db.prepare<[], StoredForm>('SELECT * FROM website_forms ORDER BY seq');
  const byId = db.prepare<[string], StoredForm>('SELECT * FROM website_forms WHERE id = ?');
  const bySeq = db.prepare<[number], StoredForm>('SELECT * FROM website_forms WHERE seq = ?');
  return {
    /** The number of the new row. */
    insert: ({ settings, ...row }: Omit<FormRow, 'seq'>): number =>
      Number(insert.run({ ...row, settings_json: JSON.stringify(settings) }).lastInsertRowid),
    update: ({ seq, settings, updated_at }: FormRow): void => {
      update.run(JSON.stringify(settings), updated_at, seq);
    },
    remove: (seq: number): void => {
      remove.run(seq);
    },
    list: (): FormRow[] => list.all().map(rowOf),
    byId: (id: string): FormRow | undefined => {
      const row = byId.get(id);
      return row && rowOf(row);
    },
    bySeq: (seq: number): FormRow | undefined => {
      const row = bySeq.get(seq);
      return row && rowOf(row);
    },
  };
});

export const postStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<Omit<PostRow, 'seq' | 'proved_at'>>(
    `INSERT INTO website_form_posts (form_seq, posted_at, inbound_seq, message_seq)
     VALUES (:form_seq, :posted_at, :inbound_seq, :message_seq)`,
  );
  const prove = db.prepare<[number, number]>('UPDATE website_form_posts SET proved_at = ? WHERE seq = ?');
  const since = db
    .prepare<[number, number], number>(
      'SELECT count(*) FROM website_form_posts WHERE form_seq = ? AND posted_at > ?',
    )
    .pluck();
  const messages = db
    .prepare<[number, number, number], number>(
      `SELECT message_seq FROM website_form_posts
       WHERE form_seq = ? AND posted_at > ? AND message_seq IS NOT NULL ORDER BY posted_at DESC LIMIT ?`,
    )
    .pluck();
  const ofMail = db.prepare<[number], PostRow>('SELECT * FROM website_form_posts WHERE inbound_seq = ?');
  const GONE = 'NOT EXISTS (SELECT 1 FROM inbound_messages WHERE inbound_messages.seq = inbound_seq)';
  const hasGone = db
    .prepare<[number], number>(`SELECT 1 FROM website_form_posts WHERE posted_at <= ? AND ${GONE} LIMIT 1`)
    .pluck();
  const removeGone = db.prepare<[number]>(`DELETE FROM website_form_posts WHERE posted_at <= ? AND ${GONE}`);
  return {
    insert: (row: Omit<PostRow, 'seq' | 'proved_at'>): void => {
      insert.run(row);
    },
    setProved: (seq: number, at: number): void => {
      prove.run(at, seq);
    },
    /** What was sent by the form after that moment. */
    countSince: (formSeq: number, at: number): number => since.get(formSeq, at) ?? 0,
    /** Numbers of the last mails to addresses that were typed into the form. */
    lastMessages: (formSeq: number, at: number, limit: number): number[] => messages.all(formSeq, at, limit),
    ofMail: (inboundSeq: number): PostRow | undefined => ofMail.get(inboundSeq),
    /** Whether there are rows up to that moment whose mail is gone. */
    hasGone: (until: number): boolean => hasGone.get(until) !== undefined,
    removeGone: (until: number): void => {
      removeGone.run(until);
    },
  };
});
