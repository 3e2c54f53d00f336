import { plural } from '#dashboard/words.ts';

export const words = {
  intro: 'Eine Nachricht an alle, die auf einer Liste aktiv sind.',
  opened: 'Geöffnet',
  clicked: 'Angeklickt',
  create: 'Neues Rundschreiben',
  people: (count: number) => plural(count, { one: '# Person', other: '# Personen' }),
  noTemplate: 'Leer beginnen',
  firstText: ['Guten Tag,', ''],
  noList: 'Legen Sie zuerst eine Liste an.',
  toLists: 'Zu den Listen',
  found: 'Rundschreiben',
  empty: 'Noch kein Rundschreiben',
  emptyText:
    'Schreiben Sie etwas, sehen Sie, wie viele Personen es bekommen, und senden Sie es jetzt oder zu einer Zeit Ihrer Wahl.',
  nothingFound: 'Kein Rundschreiben hat diesen Status',
};
