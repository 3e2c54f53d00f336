export const words = {
  intro:
    'Was Programme mit Ihren Token angefragt haben und was darauf geantwortet wurde: die letzten 1.000 Anfragen je Token, seit der Dienst gestartet ist. Inhalte stehen hier nie.',
  list: 'Anfragen, die neueste zuerst',
  token: 'API-Token',
  allTokens: 'Alle Token',
  answered: 'Antwort',
  classes: {
    '': 'Alle Antworten',
    '2xx': 'Angenommen (2xx)',
    '4xx': 'Abgelehnt (4xx)',
    '5xx': 'Fehler des Dienstes (5xx)',
  },
  code: 'Fehler',
  allCodes: 'Alle Fehler',
  requestId: 'Kennung der Anfrage',
  gone: 'Programm hat nicht gewartet',
  duration: 'Dauer',
  messages: 'Nachrichten',
  reference: 'In der Referenz nachlesen',
  ofMessage: 'Gezeigt wird nur die Anfrage, durch die diese Nachricht entstanden ist.',
  ofRequest: 'Gezeigt wird nur diese eine Anfrage.',
  live: 'Neue Anfragen erscheinen von selbst.',
  empty: 'Noch keine Anfragen',
  emptyText: 'Sobald ein Programm mit einem Token etwas anfragt, steht es hier.',
  emptyFiltered: 'Keine Anfrage passt dazu',
  emptyFilteredText:
    'Vielleicht ist sie zu lange her, der Dienst wurde inzwischen neu gestartet, oder sie kam nicht mit einem Token.',
};
