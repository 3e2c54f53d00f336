export const words = {
  date: 'Datum',
  headers: 'Kopfzeilen',
  source: 'Quelltext',
  download: 'Als .eml laden',
  value: 'Wert',
  files: 'Anhänge',
  html: 'Formatiert',
  text: 'Nur Text',
  noFiles: 'Diese Mail hat keine Anhänge.',
  type: 'Typ',
  inline: 'im Text',
};
