import { words } from '#dashboard/words.ts';

export const templatesWords = words({
  de: {
    title: 'Vorlagen',
    intro: 'Texte, die immer wieder gebraucht werden, mit Platzhaltern für Namen, Tag und Uhrzeit.',
    name: 'Name',
    nameHint: 'Buchstaben ohne Umlaute, Ziffern, Punkt, Bindestrich und Unterstrich.',
    description: 'Wozu sie dient',
    subject: 'Betreff',
    changed: 'Geändert',
    create: 'Neue Vorlage',
    createIt: 'Anlegen und schreiben',
    firstText: 'Guten Tag {{name}},\n\n',
    kind: 'Art der Nachricht',
    kinds: {
      transactional: 'Einzelne Nachricht',
      termin: 'Termin',
      recall: 'Erinnerung an eine Vorsorge',
      newsletter: 'Rundschreiben',
    },
    list: 'Vorlagen dieser Praxis',
    empty: 'Noch keine Vorlagen',
    emptyText:
      'Beginnen Sie mit fertigen Texten für Termine, Erinnerungen und Rundschreiben. Sie können jeden davon ändern.',
    seed: 'Fertige Vorlagen anlegen',
    seeded: (count: number) => `${count} Vorlagen sind angelegt.`,
  },
  en: {
    title: 'Templates',
    intro: 'Texts that are needed again and again, with placeholders for names, days and times.',
    name: 'Name',
    nameHint: 'ASCII letters, digits, dots, hyphens and underscores.',
    description: 'What it is for',
    subject: 'Subject',
    changed: 'Changed',
    create: 'New template',
    createIt: 'Create and write',
    firstText: 'Dear {{name}},\n\n',
    kind: 'Kind of message',
    kinds: {
      transactional: 'Single message',
      termin: 'Appointment',
      recall: 'Recall for a check-up',
      newsletter: 'Campaign',
    },
    list: 'Templates of this practice',
    empty: 'No templates yet',
    emptyText:
      'Begin with finished German texts for appointments, reminders and campaigns. You can change each of them.',
    seed: 'Create the finished templates',
    seeded: (count: number) => `${count} templates were created.`,
  },
});
