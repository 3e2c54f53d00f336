// The form by which a mail received was written.
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { formStore, postStore } from './store.ts';

export interface FormOfMail {
  readonly id: string;
  readonly name: string;
  readonly proved: boolean;
}

/** Null where it came by SMTP, or the form is gone. */
export const formOfMail = (db: TenantDb, inboundSeq: number): FormOfMail | null => {
  const post = postStore(db).ofMail(inboundSeq);
  const form = post && formStore(db).bySeq(post.form_seq);
  return form ? { id: form.id, name: form.settings.name, proved: post.proved_at !== null } : null;
};
