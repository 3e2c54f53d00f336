import { plural } from '#dashboard/words.ts';

export const words = {
  intro: 'Was in dieser Praxis geschieht, sobald es geschieht, in der Form, in der Webhooks es bekommen.',
  all: 'Alle Ereignisse',
  waiting: (count: number) =>
    plural(count, { one: '# neues Ereignis wartet', other: '# neue Ereignisse warten' }),
  live: 'Neue Ereignisse erscheinen von selbst.',
  paused: 'Angehalten.',
  list: 'Ereignisse, das neueste zuerst',
  more: 'Ältere laden',
  empty: 'Noch keine Ereignisse',
  emptyText: 'Sobald eine Nachricht angelegt, angenommen, abgewiesen oder gelesen wird, steht es hier.',
};
