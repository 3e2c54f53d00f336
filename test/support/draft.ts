// The plainest message: tests say only what differs.
import type { Draft } from '#src/intake/draft.ts';
import { parseAddress } from '#src/mail/address.ts';

export const MESSAGE: Draft = {
  from: null,
  to: [parseAddress('anna@example.org')],
  cc: [],
  bcc: [],
  replyTo: [],
  subject: 'Termin',
  text: 'Guten Tag',
  html: null,
  route: null,
  kind: null,
  tags: [],
  metadata: {},
  headers: [],
  attachments: [],
  settings: {},
  calendar: null,
  scheduledAt: null,
  shared: null,
};
