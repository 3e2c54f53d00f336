import type { words as german } from './de.ts';

export const words: typeof german = {
  intro: 'Where nothing is sent. Suppressions protect people and the reputation of your domain.',
  search: 'Search an address',
  anyReason: 'Any reason',
  scope: 'Applies to',
  anyScope: 'Anywhere',
  scopes: { team: 'Everything', project: 'One project', route: 'One route' },
  project: (name) => `Project: ${name}`,
  route: (name) => `Route: ${name}`,
  reasons: {
    hard_bounce: 'Refused for good',
    soft_bounces: 'Refused several times',
    complaint: 'Reported as spam',
    unsubscribe: 'Unsubscribed',
    unsubscribe_all: 'Unsubscribed from everything',
    manual: 'Suppressed by hand',
    import: 'From a file',
    erasure: 'Data erased',
  },
  found: 'Suppressed addresses',
  add: 'Suppress an address',
  addIt: 'Suppress',
  added: 'The address is suppressed.',
  import: 'From a file',
  lift: 'Lift',
  liftTitle: (address) => `Lift the suppression of ${address}?`,
  liftText: 'From then on mail goes to this address again.',
  warnings: {
    complaint:
      'This person has reported your mail as spam. Write again, and they will do it again, and large providers will then take your other mail less well too. Lift it only if the person asks you for it expressly.',
    unsubscribe:
      'This person has unsubscribed. To write to them without a new consent is forbidden. Lift it only if they ask you for it expressly.',
    unreachable:
      'The server refused earlier mail for good, mostly because the address does not exist. Check its spelling first.',
  },
  lifted: 'The suppression is lifted.',
  empty: 'No address is suppressed',
  emptyText:
    'Addresses that are refused for good, and people who unsubscribe or complain, are suppressed by themselves.',
  nothingFound: 'No suppression found',
  nothingFoundText: 'No suppression fits what you search and choose.',
  fileHint:
    'CSV, Excel (.xlsx), vCard or addresses. Where a column says who has left, only they are suppressed. If you like, also: reason, scope, project, route, note.',
  importTitle: 'Suppress the addresses of a file',
  importIt: 'Import',
  running: (done) => `${done} rows read …`,
  finished: 'Read to its end',
  failed: 'The file could not be read',
  counts: {
    added: 'Suppressed now',
    updated: 'Changed',
    already: 'Were suppressed before',
    duplicates: 'Twice in the file',
    suppressed: 'Suppressed',
    left_out: 'Left out',
    failed: 'Not readable',
  },
  report: 'Rows that were not taken',
};
