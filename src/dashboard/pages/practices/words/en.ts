import type { words as german } from './de.ts';

export const words: typeof german = {
  intro: 'All that you belong to. What needs attention comes first.',
  search: 'Name or domain',
  order: 'Order',
  problemsFirst: 'Problems first',
  byName: 'By name',
  invitedTo: (name, role) => `You are invited to “${name}” (${role}).`,
  accept: 'Accept the invitation',
  dns: 'DNS',
  dnsStates: { ok: 'all right', pending: 'not checked yet', problem: 'a record is wrong' },
  rates: 'Refused, spam',
  noMail: 'no mail',
  tooFew: 'too few mails',
  rate: (bounces, complaints) => `${bounces}, ${complaints}`,
  planUse: (plan, share) => `${plan}: ${share}`,
  last: 'Last mail',
  waiting: 'Waiting',
  unavailable: 'Its data cannot be read now',
  empty: 'No practice',
  emptyText: 'Here are all practices that you belong to, with how they are at a glance.',
};
