// Makes, changes and removes forms. The tenant's file alone knows them: the token in the address of a form names it.
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { say } from '#src/kernel/say.ts';
import { validate } from '#src/kernel/validate.ts';
import { type FormSettings, formSettings } from './schema.ts';
import { type FormRow, formStore } from './store.ts';

/** All of them are listed on one page. */
export const MAX_FORMS = 50;

interface By {
  readonly change: Change;
  readonly now: number;
}

/** Throws `not_found`. */
export const formOf = (db: TenantDb, id: string): FormRow => {
  const row = formStore(db).byId(id);
  if (!row) throw new AppError('not_found', say`There is no such form.`);
  return row;
};

const record = (
  db: TenantDb,
  id: string,
  before: FormSettings | null,
  after: FormSettings | null,
  { change, now }: By,
): void => auditStore(db).record(change, { target: { type: 'website_form', id }, before, after }, now);

/** Throws `conflict` where there are too many, and `invalid_request` for settings that do not agree. */
export const createForm = (db: TenantDb, wanted: object, by: By): FormRow => {
  if (formStore(db).list().length >= MAX_FORMS)
    throw new AppError('conflict', say`A practice has at most ${MAX_FORMS} forms.`, {
      hint: say`Delete one that is not used any more.`,
    });
  const row = {
    id: newId(),
    settings: validate(formSettings, wanted, 'body'),
    created_at: by.now,
    updated_at: by.now,
  };
  const seq = formStore(db).insert(row);
  record(db, row.id, null, row.settings, by);
  return { ...row, seq };
};

/** Throws `not_found`, and `invalid_request` for settings that do not agree. */
export const changeForm = (db: TenantDb, id: string, changes: object, by: By): FormRow => {
  const before = formOf(db, id);
  const settings = validate(formSettings, { ...before.settings, ...changes }, 'body');
  const after = { ...before, settings, updated_at: by.now };
  formStore(db).update(after);
  record(db, id, before.settings, settings, by);
  return after;
};

/** Throws `not_found`. What was sent by it stays in the mailbox. */
export const removeForm = (db: TenantDb, id: string, by: By): void => {
  const before = formOf(db, id);
  formStore(db).remove(before.seq);
  record(db, id, before.settings, null, by);
};
