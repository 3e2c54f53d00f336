// The scores of messages as a table for exports.
import { divisionColumns } from '#src/accounts/tenants/division-columns.ts';
import { gradeOf, inboxRiskOf } from '#src/content/assessment.ts';
import { during, exportTable, ROWS_PER_PAGE } from '#src/kernel/export-table.ts';
import { DAY, toIso } from '#src/kernel/time.ts';
import { type ScoreRow, scoreStore } from './score-store.ts';

const ofScore =
  <T>(rate: (score: number) => T): ((row: ScoreRow) => T | null) =>
  ({ score }) =>
    score === null ? null : rate(score);

export const scores = exportTable<ScoreRow>({
  columns: {
    created_at: ['', ({ at }) => toIso(at)],
    message_id: ['', ({ id }) => id],
    ...divisionColumns,
    message_kind: ['', ({ message_kind }) => message_kind],
    subject: ['a keyed hash once it is no longer kept', ({ subject }) => subject],
    score: ['of the content, 0 to 100; from 70 on it is blocked', ({ score }) => score],
    grade: ['`A` to `F`', ofScore(gradeOf)],
    inbox_risk: ['of the spam folder: `low`, `medium`, `high`', ofScore(inboxRiskOf)],
    status: ['', ({ status }) => status],
  },
  permission: 'messages.view',
  projectOf: ({ project_id }) => project_id,
  read: (db, after, days) =>
    during(days, scoreStore(db).after(after || scoreStore(db).before(days.from * DAY), ROWS_PER_PAGE)),
});
