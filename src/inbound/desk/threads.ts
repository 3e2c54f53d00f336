// A conversation as members see it: who has it, whether it is done, and what they note in it.
import type { z } from 'zod';
import { memberStore } from '#src/accounts/entry/member-store.ts';
import { effectivePermissions } from '#src/accounts/entry/rules.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { say } from '#src/kernel/say.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { inboundStore } from '../store.ts';
import type { assigneeSchema, changeThreadBody, noteSchema, threadMark, threadSchema } from './schema.ts';
import { type NoteRow, type ThreadRow, threadStore } from './thread-store.ts';

/** All notes of a conversation are shown at once. */
const MAX_NOTES = 200;

type Assignee = z.infer<typeof assigneeSchema>;

/** Active members who may see mail received. */
export const assignees = (db: TenantDb): Assignee[] => {
  const store = memberStore(db);
  return store.all().flatMap(({ id, email, status, role_id, all_projects }) => {
    const role = store.role(role_id);
    const mayView = role && effectivePermissions(role, all_projects === 1).has('inbound.view');
    return status === 'active' && mayView ? [{ id, email }] : [];
  });
};

/** Null also where the member has left: then the conversation is no one's. */
export const assigneeOf = (db: TenantDb, { assignee_id }: ThreadRow): Assignee | null => {
  const member = assignee_id === null ? undefined : memberStore(db).get(assignee_id);
  return member?.status === 'active' ? { id: member.id, email: member.email } : null;
};

export const markOf = (db: TenantDb, threadId: string): z.infer<typeof threadMark> => {
  const row = threadStore(db).get(threadId);
  return {
    assignee: assigneeOf(db, row),
    done: row.done_at !== null,
    notes: threadStore(db).noteCount(threadId),
  };
};

const presentNote = ({ id, author, text, created_at }: NoteRow): z.infer<typeof noteSchema> => ({
  id,
  author,
  text,
  created_at: toIso(created_at),
});

export const presentThread = (db: TenantDb, threadId: string): z.infer<typeof threadSchema> => {
  const row = threadStore(db).get(threadId);
  return {
    id: threadId,
    assignee: assigneeOf(db, row),
    done_at: toIsoOrNull(row.done_at),
    notes: threadStore(db).notes(threadId).map(presentNote),
  };
};

/** Throws `not_found` where no mail received belongs to it. */
export const requireThread = (db: TenantDb, threadId: string): void => {
  if (!inboundStore(db).hasThread(threadId))
    throw new AppError('not_found', say`There is no such conversation.`);
};

interface By {
  readonly change: Change;
  readonly now: number;
}

const audited = ({ assignee_id, done_at }: ThreadRow) => ({ assignee_id, done_at: toIsoOrNull(done_at) });

/** Throws `not_found`, and `conflict` for who cannot have it. */
export const changeThread = (
  db: TenantDb,
  threadId: string,
  { assignee_id, done }: z.output<typeof changeThreadBody>,
  { change, now }: By,
): void => {
  requireThread(db, threadId);
  const isNew = assignee_id !== undefined && assignee_id !== null;
  if (isNew && !assignees(db).some(({ id }) => id === assignee_id))
    throw new AppError('conflict', say`No active member who may see mail received has this id.`);
  const before = threadStore(db).get(threadId);
  const after: ThreadRow = {
    thread_id: threadId,
    assignee_id: assignee_id === undefined ? before.assignee_id : assignee_id,
    done_at: done === undefined ? before.done_at : done ? (before.done_at ?? now) : null,
  };
  threadStore(db).put(after);
  const target = { type: 'inbound_thread', id: threadId };
  auditStore(db).record(change, { target, before: audited(before), after: audited(after) }, now);
};

/** Throws `not_found`, and `conflict` where there are too many. */
export const addNote = (
  db: TenantDb,
  threadId: string,
  text: string,
  { name, memberId }: Pick<Caller, 'name' | 'memberId'>,
  { change, now }: By,
): void => {
  requireThread(db, threadId);
  if (threadStore(db).noteCount(threadId) >= MAX_NOTES)
    throw new AppError('conflict', say`A conversation has at most ${MAX_NOTES} notes.`);
  const id = newId();
  threadStore(db).insertNote({
    ...{ id, thread_id: threadId, text, author: name, author_id: memberId },
    created_at: now,
  });
  // The audit is kept longer than mail, so it has nothing of what is said of a person.
  const entry = { target: { type: 'inbound_note', id }, before: null, after: { thread_id: threadId } };
  auditStore(db).record(change, entry, now);
};

/** Throws `not_found`. */
export const removeNote = (db: TenantDb, threadId: string, noteId: string, { change, now }: By): void => {
  requireThread(db, threadId);
  const note = threadStore(db)
    .notes(threadId)
    .find(({ id }) => id === noteId);
  if (!note) throw new AppError('not_found', say`There is no such note.`);
  threadStore(db).removeNote(noteId);
  const target = { type: 'inbound_note', id: noteId };
  auditStore(db).record(change, { target, before: { thread_id: threadId }, after: null }, now);
};
