export const words = {
  title: 'Inzwischen hat jemand anders gespeichert',
  who: (name: string | null, at: string | null) =>
    `${name ?? 'Jemand'} hat hier${at ? ` am ${at}` : ''} etwas geändert, nachdem Sie es geöffnet hatten. Welche Fassung soll gelten?`,
  theirs: 'So ist es jetzt gespeichert',
  mine: 'So haben Sie es geschrieben',
  rest: 'Was Sie selbst nicht geändert haben, bleibt in jedem Fall, wie es jetzt gespeichert ist.',
  other: 'Weitere Angaben',
  empty: 'leer',
  yes: 'ja',
  no: 'nein',
  takeTheirs: 'Die andere Fassung übernehmen',
  saveMine: 'Meine Fassung speichern',
};
