// `sendwerk admin audit`: who changed what, newest first, in a practice or in the service itself.
import type { z } from 'zod';
import type { auditEntrySchema } from '#src/events/audit-routes.ts';
import { adminCommand } from './admin-command.ts';
import { type Cell, table } from './admin-text.ts';
import { UsageError } from './command.ts';

type Entry = z.infer<typeof auditEntrySchema>;

const DEFAULT_LIMIT = '50';

const row = ({ at, action, actor, target, client_address }: Entry): Cell[] => [
  at,
  action,
  actor.kind,
  actor.name,
  `${target.type} ${target.id}`,
  client_address,
];

export const auditCommand = adminCommand({
  name: 'audit',
  summary: 'list what was changed, newest first',
  options: {
    practice: { value: 'ID|SLUG', about: 'in this practice; in the service itself where absent' },
    action: { value: 'ACTION', about: 'only this, such as token.create, or member for all of members' },
    limit: { value: 'N', default: DEFAULT_LIMIT, about: 'so many at the most' },
  },
  check: ({ limit }) => {
    if (!/^[1-9]\d{0,8}$/.test(limit))
      throw new UsageError('admin audit: --limit expects a whole number above 0');
  },
  ask: async (api, { practice, action, limit }) => {
    const path = practice === undefined ? '/api/admin' : await api.pathOfPractice(practice);
    const page = await api.list<Entry>(`${path}/audit`, { action }, Number(limit));
    const head = ['AT', 'ACTION', 'BY', 'NAME', 'TARGET', 'FROM'];
    return { json: page, text: table(head, page.data.map(row), 'There are no entries.') };
  },
});
