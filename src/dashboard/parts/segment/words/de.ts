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
  saveAs: 'Als Gruppe speichern',
  name: 'Name der Gruppe',
  save: 'Gruppe speichern',
  saved: 'Die Gruppe ist gespeichert.',
};
