import type { Words } from '../de/public.ts';

export const words: Words = {
  confirmation: {
    subject: (list) => `Veuillez confirmer votre inscription : ${list}`,
    greeting: 'Bonjour,',
    asked: (address, list, practice) =>
      `L’adresse ${address} a été inscrite à la liste « ${list} » de ${practice}.`,
    agree: 'En confirmant, vous déclarez :',
    click: 'Si vous le souhaitez, veuillez le confirmer par ce lien :',
    link: 'Confirmer l’inscription',
    until: (days) => `Le lien est valable ${days} jours.`,
    ignore:
      'Si vous n’avez pas inscrit cette adresse, vous n’avez rien à faire : sans confirmation, elle n’est pas ajoutée.',
    sender: 'Expéditeur',
  },
  form: {
    email: 'Adresse e-mail',
    name: 'Nom',
    optional: 'facultatif',
    trap: 'Veuillez laisser ce champ vide',
    submit: 'S’inscrire',
    privacy: 'Protection des données',
  },
  confirm: {
    title: {
      asked: 'Confirmer l’inscription',
      active: 'Votre inscription est confirmée',
      ended: 'Cette adresse n’est pas inscrite',
    },
    text: {
      asked: (practice, list, address) =>
        `Souhaitez-vous inscrire l’adresse ${address} à la liste ${list} de ${practice} ?`,
      active: (practice, list, address) =>
        `L’adresse ${address} est inscrite à la liste ${list} de ${practice}.`,
      ended: (practice, list, address) =>
        `L’adresse ${address} n’est pas inscrite à la liste ${list} de ${practice}.`,
    },
    declare: 'En confirmant, vous déclarez :',
    confirm: 'Oui, confirmer',
    decline: 'Non, merci',
    leave: 'Me désinscrire',
    unknownTitle: 'Ce lien n’est pas valable',
    unknown:
      'Le lien est peut-être incomplet ou expiré. Rien n’a été modifié. Vous pouvez vous inscrire de nouveau à tout moment.',
  },
  preferences: {
    title: 'Vos listes',
    yourAddress: 'Votre adresse',
    intro: (practice, address) => `${address} est inscrite à ces listes de ${practice} :`,
    none: (practice, address) => `${address} n’est inscrite à aucune liste de ${practice}.`,
    left: (lists) =>
      `Désinscription enregistrée : ${lists}. Des e-mails déjà en route peuvent encore vous parvenir.`,
    legend: 'Desquelles souhaitez-vous vous désinscrire ?',
    leave: 'Me désinscrire des listes choisies',
    leaveAll: 'Me désinscrire de toutes les listes',
    nothingChosen: 'Veuillez choisir au moins une liste.',
    all: (practice) => `Ne plus recevoir aucun e-mail de ${practice}`,
    tracking: 'Mesure d’audience',
    tracked: {
      allowed: (practice) =>
        `${practice} peut enregistrer si vous ouvrez les e-mails et sur quels liens vous cliquez. Vous pouvez vous y opposer ; vous recevrez toujours les e-mails.`,
      asked: (practice) =>
        `${practice} n’enregistre pas si vous ouvrez les e-mails de vos listes ni sur quels liens vous cliquez, tant que vous ne l’autorisez pas.`,
      objected: (practice) =>
        `Votre opposition est enregistrée : ${practice} n’enregistre pas si vous ouvrez des e-mails ni sur quels liens vous cliquez.`,
    },
    object: 'Ne pas mesurer',
    agree: 'Autoriser la mesure',
  },
  subscribe: {
    title: (list) => `Inscription : ${list}`,
    problemTitle: 'Veuillez vérifier votre saisie',
    problem: 'Veuillez indiquer une adresse e-mail valable, par exemple name@example.org.',
    doneTitle: 'Veuillez consulter votre boîte de réception',
    done: (practice) =>
      `S’il reste quelque chose à confirmer, vous recevrez dans un instant un e-mail de <strong>${practice}</strong>. Votre inscription n’est valable qu’avec le lien qu’il contient.`,
    later: (practice) =>
      `S’il reste quelque chose à confirmer, vous recevrez un e-mail de <strong>${practice}</strong>. Il ne peut pas être envoyé tout de suite : il arrivera dès que ce sera de nouveau possible. Votre inscription n’est valable qu’avec le lien qu’il contient.`,
    closedTitle: 'Les inscriptions sont fermées',
    closed: {
      over: (practice) =>
        `<strong>${practice}</strong> n’accepte plus d’inscriptions à cette liste. Rien n’a été enregistré.`,
      starting: (practice) =>
        `<strong>${practice}</strong> met encore en place l’envoi de ses e-mails. D’ici là, personne ne peut s’inscrire ici, et rien n’a été enregistré. Veuillez réessayer dans quelques jours.`,
      unable: (practice) =>
        `<strong>${practice}</strong> ne peut pas envoyer actuellement l’e-mail par lequel vous pourriez confirmer l’inscription. Rien n’a été enregistré. Veuillez réessayer plus tard, ou vous adresser directement à l’expéditeur.`,
    },
    nothing:
      'Vous n’avez pas reçu d’e-mail ? Veuillez aussi consulter le dossier des indésirables. Cette adresse est peut-être déjà inscrite, ou nous vous avons déjà écrit aujourd’hui.',
    unknownTitle: 'Cette liste n’existe pas',
    unknown: 'Le lien est peut-être incomplet, ou la liste n’est plus proposée.',
  },
  wording: {
    sent: {
      termin: 'des messages au sujet de mes rendez-vous',
      recall: 'des rappels de rendez-vous à prendre',
      newsletter: 'la lettre d’information',
      transactional: 'des messages au sujet de mes demandes',
      other: 'des informations et des offres',
    },
    list: (practice, sent, list) =>
      `Je souhaite recevoir de ${practice} par e-mail ${sent} (« ${list} »). Je peux retirer ce consentement à tout moment pour l’avenir, par exemple par le lien de désinscription de chaque e-mail.`,
    tracking: (practice) =>
      `${practice} peut enregistrer si j’ouvre les e-mails et sur quels liens je clique, afin d’en améliorer le contenu. C’est facultatif. Je peux retirer ce consentement à tout moment pour l’avenir, sur la page « Vos listes » à laquelle mène chaque e-mail.`,
  },
  person: {
    erased: {
      subscriptions: 'inscriptions à des listes',
      mentions_in_lists: 'mentions dans les inscriptions d’autres personnes',
      mentions_in_consent:
        'entrées du registre des consentements d’autres personnes, dont les valeurs citant l’adresse ont été retirées',
      mentions_in_erasures: 'motifs d’autres effacements',
      import_reports: 'lignes de rapports d’importation',
      links: 'liens dans des campagnes',
      consent_entries_reduced: 'entrées du registre des consentements, réduites à des empreintes',
      consent_documents: 'e-mails de confirmation dans le registre des consentements',
    },
    kept: {
      consent_entries: {
        what: 'entrées du registre des consentements sans données personnelles',
        why: 'Elles prouvent que le consentement a été donné et retiré, et à quelles dates (art. 7, par. 1, et art. 17, par. 3, point e), du RGPD) ; leur chaîne reste vérifiable.',
      },
    },
    titles: {
      subscriptions: 'Listes',
      consent: 'Consentements',
    },
  },
};
