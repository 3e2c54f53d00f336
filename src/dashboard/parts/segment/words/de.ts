import type { CampaignCondition } from '#api';
import { plural } from '#dashboard/words.ts';

export const words = {
  title: 'Nur ein Teil der Personen',
  hint: 'Ohne Bedingung bekommen es alle auf den Listen. Mit mehreren müssen alle zutreffen.',
  take: 'Gespeicherte Gruppe',
  none: 'keine',
  field: 'Angabe der Person',
  op: 'Vergleich',
  ops: {
    is: 'ist',
    is_not: 'ist nicht',
    contains: 'enthält',
    starts_with: 'beginnt mit',
    before: 'liegt vor dem',
    after: 'liegt nach dem',
    exists: 'ist ausgefüllt',
    missing: 'ist leer',
    subscribed_before: 'angemeldet vor dem',
    subscribed_after: 'angemeldet nach dem',
    opened: 'hat eine E-Mail geöffnet',
    clicked: 'hat einen Link angeklickt',
    neither: 'hat nichts geöffnet und nichts angeklickt',
  } satisfies Record<CampaignCondition['op'], string>,
  value: 'Wert',
  remove: 'Bedingung entfernen',
  add: 'Bedingung hinzufügen',
  noList: 'Wählen Sie zuerst eine Liste.',
  count: (count: number, of: string) =>
    plural(count, {
      one: `Trifft auf eine von ${of} Personen zu.`,
      other: `Trifft auf # von ${of} Personen zu.`,
    }),
  days: 'in den letzten Tagen',
  readingHint:
    'Gezählt wird nur, wer selbst eingewilligt hat, dass Öffnungen und Klicks ausgewertet werden, und nur Post an diese Listen.',
  untracked: (count: number) =>
    plural(count, {
      one: 'Eine Person gehört nie dazu: Bei ihr wird nichts ausgewertet.',
      other: '# Personen gehören nie dazu: Bei ihnen wird nichts ausgewertet.',
    }),
  rename: 'Umbenennen',
  deleteIt: 'Gruppe löschen',
  deleteTitle: (name: string) => `Gruppe „${name}“ löschen?`,
  deleteText:
    'Die Personen bleiben auf ihren Listen. Kampagnen, die schon versendet sind, bleiben, wie sie sind.',
  deleted: 'Die Gruppe ist gelöscht.',
  lists: 'Listen',
  people: 'Personen, auf die das zutrifft',
  address: 'E-Mail-Adresse',
  personName: 'Name',
  status: 'Status',
  lastOpened: 'Zuletzt geöffnet',
  nobody: 'Auf niemanden trifft das zu',
  nobodyText: 'Ändern Sie die Bedingungen oder nehmen Sie eine Liste hinzu.',
  saveAs: 'Als Gruppe speichern',
  name: 'Name der Gruppe',
  save: 'Gruppe speichern',
  saved: 'Die Gruppe ist gespeichert.',
};
