// `sendwerk admin`: all commands by which the operator works on a running daemon, and those about the service as a whole:
// abuse tickets, the waiting list and the audit.

import type { z } from 'zod';
import type { ticketSchema, ticketSummarySchema } from '#src/accounts/abuse/schema.ts';
import type { entrySchema } from '#src/accounts/waitlist/waitlist.ts';
import type { auditEntrySchema } from '#src/events/audit-routes.ts';
import type { reportedSchema } from '#src/feedback/reported-message.ts';
import type { linkSchema } from '#src/people/operator-sign-in.ts';
import { adminCommand } from './admin-command.ts';
import { domainCommands } from './admin-domains.ts';
import { practiceCommands } from './admin-practices.ts';
import { type Cell, paragraph, record, table } from './admin-text.ts';
import type { Command } from './command.ts';
import { UsageError } from './command.ts';

type Ticket = z.output<typeof ticketSchema>;
type TicketSummary = z.output<typeof ticketSummarySchema>;
type Entry = z.output<typeof entrySchema>;

const STAGES = 'open|investigating|closed';

type Reported = z.output<typeof reportedSchema>['message'];

const reportedText = (message: Reported): string =>
  message === null
    ? 'No message of this service is found in it.\n'
    : record([
        ['message', message.id],
        ['of practice', `${message.practice.id} (${message.practice.name})`],
        ['found by', message.found_by === 'signed' ? 'what only its recipients have' : 'its Message-ID'],
        ['accepted', message.created_at],
        ['its subject', message.subject],
        ['recipients', message.recipients],
        ['token', message.token && `${message.token.id} (${message.token.name ?? 'revoked'})`],
        ['slowed until', message.token?.slowed?.until ?? null],
      ]);

const described = (ticket: Ticket, message: Reported): string => {
  const { source_bytes: bytes, steps } = ticket;
  const head = record([
    ['id', ticket.id],
    ['stage', ticket.stage],
    ['reporter', ticket.reporter.email],
    ['name', ticket.reporter.name],
    ['language', ticket.language],
    ['practice', ticket.practice_id],
    ['created', ticket.created_at],
    ['updated', ticket.updated_at],
    ['subject', ticket.subject],
    ['source', bytes === null ? null : `${bytes} bytes, at /api/admin/abuse-tickets/${ticket.id}/source`],
  ]);
  const history = table(
    ['AT', 'STAGE', 'NOTE'],
    steps.map(({ at, stage, note }) => [at, stage, note]),
    'Nothing was done yet.',
  );
  return `${head}\n${paragraph(ticket.description)}\n${reportedText(message)}\n${history}`;
};

const ticketRow = ({ id, stage, created_at, reporter, practice_id, subject }: TicketSummary): Cell[] => [
  id,
  stage,
  created_at,
  reporter.email,
  practice_id,
  subject,
];

const entryRow = ({ id, plan, email, name, created_at, asked_at, note }: Entry): Cell[] => [
  id,
  plan,
  email,
  name,
  created_at,
  asked_at,
  note,
];

const abuseCommands = [
  adminCommand({
    name: 'tickets',
    summary: 'list the abuse tickets, newest first',
    options: { stage: { value: STAGES, about: 'only those at this stage' } },
    ask: async (api, { stage }) => {
      const page = await api.list<TicketSummary>('/api/admin/abuse-tickets', { stage });
      const head = ['ID', 'STAGE', 'CREATED', 'REPORTER', 'PRACTICE', 'SUBJECT'];
      return { json: page, text: table(head, page.data.map(ticketRow), 'There are no tickets.') };
    },
  }),
  adminCommand({
    name: 'ticket',
    summary: 'show an abuse ticket, or change it; the reporter gets a mail about each stage',
    options: {
      id: { value: 'ID', required: true, about: 'the ticket, as `admin tickets` lists it' },
      stage: { value: STAGES, about: 'the stage that it has reached' },
      note: { value: 'TEXT', about: 'to be kept with it; never mailed' },
      practice: { value: 'ID|SLUG', about: 'the practice that it is about' },
      'no-practice': { about: 'it is about none' },
    },
    check: (values) => {
      if (values.practice !== undefined && values['no-practice'])
        throw new UsageError('admin ticket: only one of --practice and --no-practice is possible');
    },
    ask: async (api, { id, stage, note, practice, 'no-practice': isCleared }) => {
      const path = `/api/admin/abuse-tickets/${encodeURIComponent(id)}`;
      const named = practice === undefined ? undefined : await api.idOfPractice(practice);
      const fields = { stage, note, practice_id: isCleared ? null : named };
      const isChange = Object.values(fields).some((value) => value !== undefined);
      const ticket = await (isChange
        ? api.call<Ticket>('PATCH', path, fields)
        : api.call<Ticket>('GET', path));
      const { message } = await api.call<{ message: Reported }>('GET', `${path}/message`);
      return { json: { ...ticket, message }, text: described(ticket, message) };
    },
  }),
];

const waitlistCommands = [
  adminCommand({
    name: 'waitlist',
    summary: 'list who waits for a plan',
    options: { plan: { value: 'PLAN', about: 'only for this one' } },
    ask: async (api, { plan }) => {
      const page = await api.list<Entry>('/api/admin/waitlist', { plan });
      const head = ['ID', 'PLAN', 'ADDRESS', 'NAME', 'SINCE', 'ASKED', 'NOTE'];
      return { json: page, text: table(head, page.data.map(entryRow), 'No one is waiting.') };
    },
  }),
  adminCommand({
    name: 'waitlist-remove',
    summary: 'take an entry off the waiting list',
    options: { id: { value: 'ID', required: true, about: 'the entry, as `admin waitlist` lists it' } },
    ask: async (api, { id }) => {
      await api.call('DELETE', `/api/admin/waitlist/${encodeURIComponent(id)}`);
      return { json: undefined, text: 'Removed.\n' };
    },
  }),
];

type AuditEntry = z.infer<typeof auditEntrySchema>;

const DEFAULT_LIMIT = '50';

const auditRow = ({ at, action, actor, target, client_address }: AuditEntry): Cell[] => [
  at,
  action,
  actor.kind,
  actor.name,
  `${target.type} ${target.id}`,
  client_address,
];

const auditCommand = adminCommand({
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
    const page = await api.list<AuditEntry>(`${path}/audit`, { action }, Number(limit));
    const head = ['AT', 'ACTION', 'BY', 'NAME', 'TARGET', 'FROM'];
    return { json: page, text: table(head, page.data.map(auditRow), 'There are no entries.') };
  },
});

const signInCommand = adminCommand({
  name: 'sign-in-link',
  summary: 'print a link by which an operator signs in, while mail does not arrive yet',
  options: { email: { value: 'ADDRESS', required: true, about: 'one of `operators` in the configuration' } },
  ask: async (api, { email }) => {
    const made = await api.call<z.output<typeof linkSchema>>('POST', '/api/admin/sign-in-links', { email });
    return { json: made, text: `${made.link}\n\nOnce, until ${made.expires_at}.\n` };
  },
});

export const adminCommands: readonly Command[] = [
  ...practiceCommands,
  ...domainCommands,
  ...abuseCommands,
  ...waitlistCommands,
  auditCommand,
  signInCommand,
];
