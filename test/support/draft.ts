// The plainest message: tests say only what differs.
import { type Draft, draftWith } from '#src/intake/draft.ts';
import { parseAddress } from '#src/mail/address.ts';

export const MESSAGE: Draft = draftWith({
  to: [parseAddress('anna@example.org')],
  subject: 'Termin',
  text: 'Guten Tag',
});
