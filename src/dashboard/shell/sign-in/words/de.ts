export const words = {
  sendCode: 'Code senden',
  byCode: 'Gibt es ein Konto dazu, senden wir einen Code mit sechs Ziffern an diese Adresse.',
  codeSent: (email: string) =>
    `Gibt es ein Konto für ${email}, dann ist ein Code dorthin unterwegs. Er gilt 10 Minuten.`,
  byLink: (email: string) => `Dieser Link meldet Sie als ${email} an.`,
  wrongCode: 'Der Code stimmt nicht, ist abgelaufen oder schon benutzt.',
  wrongPassword: 'E-Mail-Adresse oder Passwort stimmen nicht.',
  newCode: 'Neuen Code senden',
  codeSentAgain: 'Ein neuer Code ist unterwegs.',
  code: 'Code aus der E-Mail',
  digit: (at: number) => `Ziffer ${at}`,
  otherAddress: 'Andere Adresse',
  withPassword: 'Mit Passwort anmelden',
  withCode: 'Mit Code anmelden',
};
