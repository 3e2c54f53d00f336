import type { words as german } from './de.ts';

export const words: typeof german = {
  intro:
    'Short messages in Slack or Teams when something needs attention. They name no subject, no content and no whole address.',
  create: 'Create alert',
  kind: 'Chat',
  kinds: { slack: 'Slack, Mattermost, Rocket.Chat', teams: 'Microsoft Teams' },
  urlHint: 'The address for incoming webhooks that your chat gave you. It is kept secret.',
  urlKept: 'Empty: the present address stays.',
  events: 'What it reports',
  language: 'Language of the messages',
  languages: { de: 'German', en: 'English' },
  last: 'Last report',
  list: 'Chat alerts',
  testOf: (name) => `Test: ${name}`,
  tested: 'The test arrived in the chat.',
  testFailed: (why) => `The test did not arrive: ${why}`,
  removeText: (name) => `“${name}” reports nothing any more then.`,
  removed: 'The alert is deleted.',
  empty: 'No alerts yet',
  emptyText: 'Get a message in your chat when mail is refused or reported as spam.',
};
