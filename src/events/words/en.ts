import type { Words } from './de.ts';

export const words: Words = {
  person: {
    erased: {
      events: 'events',
      audit_entries: 'audit entries, reduced to a pseudonym',
    },
    kept: {
      audit_entries: {
        what: 'audit entries of changes that this address made as a member',
        why: 'It must remain known who changed what (Art. 5(2), Art. 32 GDPR) until their retention period ends.',
      },
    },
  },
};
