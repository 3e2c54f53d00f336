export const words = {
  title: 'Tastenkürzel',
  keys: {
    palette: 'Suchen und zu einer Seite springen',
    search: 'Ins Suchfeld der Seite',
    down: 'Aus dem Suchfeld zum ersten Eintrag',
    next: 'Nächster Eintrag der Liste',
    before: 'Voriger Eintrag der Liste',
    close: 'Ein Fenster schließen',
    help: 'Diese Übersicht',
  },
  letters: 'Kürzel aus einer einzelnen Taste benutzen',
  lettersHint:
    'Schalten Sie sie ab, wenn Sie diktieren oder mit der Stimme steuern. Das gilt für diesen Browser.',
};
