import { plural } from '#dashboard/words.ts';

export const words = {
  intro: 'Texte, die immer wieder gebraucht werden, mit Platzhaltern für Namen, Tag und Uhrzeit.',
  nameHint: 'Buchstaben ohne Umlaute, Ziffern, Punkt, Bindestrich und Unterstrich.',
  create: 'Neue Vorlage',
  firstText: ['Guten Tag {{name}},', ''],
  kind: 'Art der Nachricht',
  allKinds: 'Alle',
  folders: 'Arten von Vorlagen',
  actions: 'Was Sie damit tun können',
  useForMany: 'Als Rundschreiben',
  useIt: 'Verwenden',
  duplicate: 'Kopie anlegen',
  duplicated: 'Das ist die Kopie.',
  list: 'Vorlagen dieser Praxis',
  empty: 'Noch keine Vorlagen',
  emptyText:
    'Beginnen Sie mit fertigen Texten für Termine, Erinnerungen und Rundschreiben. Sie können jeden davon ändern.',
  seed: 'Fertige Vorlagen anlegen',
  seeded: (count: number) => `${plural(count, { one: '# Vorlage ist', other: '# Vorlagen sind' })} angelegt.`,
};
