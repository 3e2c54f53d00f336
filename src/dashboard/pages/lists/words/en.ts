import type { words as german } from './de.ts';

export const words: typeof german = {
  intro:
    'Who gets campaigns. With each entry it is kept what it is based on: the person’s confirmation or your statement.',
  descriptionHint: 'Shown on the pages for subscribing and unsubscribing.',
  active: 'Active',
  pending: 'Unconfirmed',
  left: 'Unsubscribed',
  bounced: 'Unreachable',
  showArchived: 'Archived ones, too',
  create: 'New list',
  createIt: 'Create',
  channel: 'What is consented to?',
  channels: {
    newsletter: 'Campaigns (newsletter)',
    recall: 'Recalls for check-ups',
    other: 'Something else',
  },
  language: 'Language of the confirmation mails',
  languages: { de: 'German', en: 'English', fr: 'French' },
  isPublicHint: 'Only who uses the link in the confirmation mail is subscribed.',
  list: 'Lists of this practice',
  empty: 'No list yet',
  emptyText: 'Create a list. Then people subscribe by a form, or you import a table of addresses.',
};
