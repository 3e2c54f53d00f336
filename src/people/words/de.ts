export const words = {
  invitation: {
    invited: 'Einladung',
    invitedText: (practice: string, email: string) =>
      `„${practice}“ lädt Sie ein, mit der Adresse ${email} Mitglied zu werden.`,
    accept: 'Einladung annehmen',
    ignore: 'Wenn Sie das nicht möchten, müssen Sie nichts tun: Die Einladung läuft von selbst ab.',
    accepted: 'Einladung angenommen',
    acceptedText: (practice: string, email: string) =>
      `Sie sind nun Mitglied von „${practice}“. Melden Sie sich mit der Adresse ${email} an.`,
    signIn: (serviceName: string) => `Weiter zu ${serviceName}`,
    gone: 'Diese Einladung gilt nicht mehr',
    goneText:
      'Sie ist abgelaufen, wurde schon angenommen, oder eine neuere ist an ihre Stelle getreten. Bitten Sie darum, ' +
      'noch einmal eingeladen zu werden, oder melden Sie sich an, falls Sie schon Mitglied sind.',
  },
};

export type Words = typeof words;
