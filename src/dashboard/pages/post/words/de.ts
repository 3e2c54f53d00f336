import { plural } from '#dashboard/words.ts';

export const words = {
  againText: 'Jede der gewählten Nachrichten geht noch einmal an dieselben Empfänger.',
  held: 'zurückgehalten',
  intro: 'Alles, was versendet wurde oder werden sollte, das Neueste zuerst.',
  others: (count: number) => `und ${count} weitere`,
  found: 'Gefundene Nachrichten',
  emptyText: 'Sobald diese Praxis eine Nachricht sendet, steht sie hier mit allem, was aus ihr geworden ist.',
  more: 'Weitere Filter',
  nothingFound: 'Keine Nachricht passt dazu',
  fresh: (count: number) =>
    plural(count, { one: '# neue Nachricht zeigen', other: '# neue Nachrichten zeigen' }),
};
