import type { Alert } from '#api';

export const words = {
  intro:
    'Kurze Meldungen in Slack oder Teams, wenn etwas Aufmerksamkeit braucht. Sie nennen keinen Betreff, keinen Inhalt und keine ganze Adresse.',
  create: 'Meldung anlegen',
  kind: 'Chat',
  kinds: { slack: 'Slack, Mattermost, Rocket.Chat', teams: 'Microsoft Teams' } satisfies Record<
    Alert['kind'],
    string
  >,
  urlHint: 'Die Adresse für eingehende Webhooks, die Ihr Chat Ihnen gegeben hat. Sie wird geheim gehalten.',
  urlKept: 'Leer: Die bisherige Adresse bleibt.',
  events: 'Was gemeldet wird',
  language: 'Sprache der Meldungen',
  languages: { de: 'Deutsch', en: 'Englisch' },
  last: 'Zuletzt gemeldet',
  list: 'Meldungen im Chat',
  testOf: (name: string) => `Testen: ${name}`,
  tested: 'Der Test kam im Chat an.',
  testFailed: (why: string) => `Der Test kam nicht an: ${why}`,
  removeText: (name: string) => `„${name}“ meldet dann nichts mehr.`,
  removed: 'Die Meldung ist gelöscht.',
  empty: 'Noch keine Meldungen',
  emptyText: 'Lassen Sie sich im Chat melden, wenn Mails abgewiesen oder als Spam gemeldet werden.',
};
