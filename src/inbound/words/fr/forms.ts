import type { Words } from '../de/forms.ts';

export const words: Words = {
  form: {
    optional: 'facultatif',
    required: 'obligatoire',
    trap: 'Veuillez laisser ce champ vide',
    choose: 'Veuillez choisir',
    submit: 'Envoyer',
    privacy: 'Politique de confidentialité',
    fileHint: (megabytes) => `PDF, image ou fichier bureautique, ${megabytes} Mo au maximum`,
  },
  page: {
    problemTitle: 'Veuillez vérifier vos indications',
    problems: {
      missing: (label) => `« ${label} » est à remplir.`,
      email: (label) =>
        `« ${label} » : veuillez saisir une adresse e-mail valide, par exemple nom@example.org.`,
      phone: (label) => `« ${label} » : veuillez saisir un numéro de téléphone, par exemple 01 23 45 67 89.`,
      date: (label) => `« ${label} » : veuillez saisir un jour, par exemple 31/12/2030.`,
      choice: (label) => `« ${label} » : veuillez choisir une des propositions.`,
      long: (label, most) => `« ${label} » est trop long : ${most} caractères au maximum.`,
      characters: (label) => `« ${label} » contient des caractères qui ne sont pas possibles ici.`,
      file: (label) =>
        `« ${label} » : nous ne pouvons pas accepter ce fichier. Sont possibles les PDF, images et fichiers bureautiques avec un nom ordinaire.`,
      fileSize: (label, megabytes) =>
        `« ${label} » : le fichier est trop volumineux, ${megabytes} Mo au maximum.`,
    },
    fileAgain: 'Veuillez choisir vos fichiers encore une fois.',
    doneTitle: 'Merci',
    done: (practice) => `<strong>${practice}</strong> a bien reçu vos indications.`,
    askedTitle: 'Veuillez consulter votre messagerie',
    asked: (practice) =>
      `<strong>${practice}</strong> vous envoie un e-mail. Vos indications n’arrivent que lorsque vous ouvrez le lien qu’il contient et confirmez.`,
    spam: 'Pas d’e-mail ? Veuillez regarder aussi dans le dossier des indésirables.',
    back: 'Retour au site',
    closedTitle: 'Le formulaire est fermé',
    closed: {
      closed: (practice) =>
        `<strong>${practice}</strong> ne reçoit plus rien par ce formulaire. Rien n’a été enregistré.`,
      starting: (practice) =>
        `<strong>${practice}</strong> est en train de préparer ce formulaire. Rien n’a été enregistré. Veuillez réessayer dans quelques jours, ou prendre contact autrement.`,
      unable: (practice) =>
        `<strong>${practice}</strong> ne peut rien recevoir par ce formulaire en ce moment. Rien n’a été enregistré. Veuillez réessayer plus tard, ou prendre contact autrement.`,
    },
    unknownTitle: 'Ce formulaire n’existe pas',
    unknown: 'Le lien est peut-être incomplet, ou le formulaire a été retiré.',
  },
  proof: {
    subject: (title) => `Veuillez confirmer : ${title}`,
    greeting: 'Bonjour,',
    text: (practice) =>
      `un formulaire de ${practice} a été envoyé avec cette adresse e-mail. Pour qu’il arrive, veuillez confirmer qu’il vient de vous :`,
    link: 'Confirmer',
    until: (days) => `Le lien est valable ${days} jours.`,
    ignore: 'Ce n’était pas vous ? Alors il n’y a rien à faire : rien n’arrivera.',
    sender: 'Expéditeur',
    title: { asked: 'Confirmer l’envoi', done: 'Merci' },
    ask: (practice, title) =>
      `Envoyer vos indications du formulaire « ${title} » à <strong>${practice}</strong> ?`,
    button: 'Oui, envoyer',
    unknownTitle: 'Ce lien n’est pas valable',
    unknown:
      'Le lien est peut-être incomplet, ou il a expiré. Vous pouvez remplir le formulaire encore une fois.',
  },
  receiptSubject: (title) => `Bien reçu : ${title}`,
  mail: {
    intro: (form) => `Envoyé par le formulaire « ${form} » :`,
    yes: 'oui',
    none: '–',
    files: 'voir la pièce jointe',
    proved: 'L’adresse e-mail a été confirmée.',
    unproved: 'Il n’a pas été vérifié si ces indications sont exactes ni qui les a envoyées.',
  },
  presets: {
    labels: {
      name: 'Nom',
      birthday: 'Date de naissance',
      email: 'Adresse e-mail',
      phone: 'Téléphone',
      message: 'Votre message',
      medicine: 'Médicament, dosage et taille de la boîte',
      pickup: 'Comment souhaitez-vous recevoir l’ordonnance ?',
      reason: 'De quoi s’agit-il ?',
      wish: 'Quand seriez-vous disponible ?',
      day: 'À partir du',
      file: 'Fichier',
      question: 'Votre question',
      consent:
        'J’accepte que mes indications soient utilisées pour traiter ma demande. Je peux retirer cet accord à tout moment.',
    },
    pickup: ['Sous forme électronique, sur ma carte', 'Je viens la chercher', 'À ma pharmacie'],
    wish: ['Le matin', 'L’après-midi', 'Peu importe'],
    titles: {
      contact: 'Écrivez-nous',
      prescription: 'Commander une ordonnance',
      appointment: 'Demander un rendez-vous',
      own: 'Formulaire',
    },
    purposes: {
      contact: 'Nous n’utilisons vos indications que pour répondre à votre message.',
      prescription:
        'Nous n’utilisons vos indications que pour préparer votre ordonnance. Parlez-nous d’abord des médicaments nouveaux pour vous.',
      appointment:
        'Nous n’utilisons vos indications que pour convenir d’un rendez-vous avec vous. En cas d’urgence, veuillez téléphoner.',
      own: 'Nous n’utilisons vos indications que pour traiter votre demande.',
    },
  },
};
