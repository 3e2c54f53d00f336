export const words = {
  name: 'Name',
  type: 'Typ',
  value: 'Wert',
  priority: 'Priorität',
  found: 'Gefunden',
  nothing: 'Nichts',
  whatToDo: 'Was zu tun ist',
  hint: 'Befund im Einzelnen',
  required: 'nötig',
  optional: 'freiwillig',
  byOperator: 'Sie müssen nichts tun: Diesen Eintrag bringt der Betreiber des Dienstes in Ordnung.',
  advice: {
    missing:
      'Legen Sie diesen Eintrag bei Ihrem Domain-Anbieter an. Bis er überall zu sehen ist, kann es bis zu einer Stunde dauern.',
    mismatch: 'Ändern Sie den vorhandenen Eintrag so, dass er den gezeigten Wert hat.',
    multiple: 'Löschen Sie die überzähligen Einträge. Nur einer darf bleiben, mit dem gezeigten Wert.',
    proxied: 'Schalten Sie den Proxy für diesen Namen aus, bei Cloudflare mit „Nur DNS“.',
    error:
      'Warten Sie einige Minuten und prüfen Sie noch einmal. Der Nameserver der Domain hat nicht geantwortet.',
  },
};
