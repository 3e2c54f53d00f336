// What the headings of a table say: where the address is, where the names are, and which columns tell that someone has left.
// They are in English, German, French and Spanish, written in any way: `opt-out`, `OPTED_OUT`, `hasOptedOut`. Pure.
import { speaksOfLeaving } from './leaving.ts';
import { wordsOf } from './plain.ts';

export const columnRoles = [
  'address',
  'name',
  'first_name',
  'last_name',
  'status',
  'opt_in',
  'opt_out',
  'value',
  'ignore',
] as const;
export type ColumnRole = (typeof columnRoles)[number];

export interface ReadHeading {
  readonly role: ColumnRole;
  /** How sure it is that the column has the address, up to 100; 0 for other roles that are not doubtful. */
  readonly score: number;
  /** The role counts only if the first rows say so: `State` may be a country's, `Newsletter` its name. */
  readonly isDoubtful?: true;
}

const names: ReadonlyMap<string, ColumnRole> = new Map(
  (
    [
      ['first_name', 'vorname firstname first_name given_name fname prenom nombre nombre_de_pila rufname'],
      [
        'last_name',
        'nachname familienname lastname last_name surname family_name lname nom_de_famille apellido apellidos sur_name',
      ],
      [
        'name',
        'name full_name fullname vollstaendiger_name vor_und_nachname display_name anzeigename nom nom_complet nombre_completo contact_name kontaktname',
      ],
    ] as const
  ).flatMap(([role, plain]) => plain.split(' ').map((name) => [name, role] as const)),
);

/** Technical columns of other services, and names that no one uses as a placeholder: they are left where they are. */
const IGNORED =
  /^(?:(?:member_)?rating|leid|euid|uuid|id|contact_id|record_id|latitude|longitude|gmtoff|dstoff|timezone|cc|region|last_changed|notes?|notizen|notas|photo|group_membership|labels?|tags?|attributes)$|(?:^|_)ip(?:_address|_adresse)?(?:_|$)/;
/** The time, way or place of an agreement: that it is empty does not say that there is none. */
const CIRCUMSTANCE = new Set(
  'ip source quelle time date datum url link campaign timestamp method text wording version at am zeit zeitpunkt on id type language fecha since seit list lists form formular'.split(
    ' ',
  ),
);
/** But who has no time of the confirmation has not confirmed. */
const CONFIRMED = /confirmed|bestaetigt|activated|aktiviert|confirmado|confirmee?$|verifi/;
const AGREED =
  /optin|optedin|subscribed|abonniert|angemeldet|abonnee?$|inscrit|suscrit|einwilligung|zustimmung|consent|permission|^(?:is)?acti(?:ve|f|vo)$|^(?:ist)?aktiv$|enabled|acceptsemail|acceptsmarketing|marketingallowed/;
const STATUS = /^(?:e?mail|is|global|list)?statu[st]|statu[st]$|estatus$|statu[st]text$|^zustand$/;
/** Whose status it is, if not that of a subscription. */
const OTHER_STATUS =
  /lead|marital|civil|familien|beziehung|relationship|employment|beschaeftig|order|bestell|auftrag|payment|zahlung|rechnung|invoice|deal|ticket|projekt|project|versicher|insurance|vip/;
const DOUBTFUL = /^(?:state|estado|etat|subscription(?:state)?|subscriberstate|abo|abonnement|suscripcion)$/;
/** Whether someone wants or gets it, where the cells are answers. */
const QUESTION =
  /newsletter|rundbrief|rundschreiben|rundmail|infomail|infobrief|mailing|verteiler|marketing|werbung|publicit|publicidad|boletin|^doi$|dsgvo|gdpr|rgpd/;
/** Nonempty for everyone: the address of a page. */
const LINK = /^(?:link|url|href|lien|enlace)$/;

const EMAIL = /e?mails?(?:adress|address|$)|^e?mail|email|mailadresse|courriel|correo|^mel$/;
const BEST =
  /^(?:email|emailaddress|emailadresse|mail|mailadresse|adresseemail|adressemail|adressedecourriel|courriel|correo|correoelectronico|primaryemail|primaereemailadresse|emailprimary|email1value|emailaddress1|email1address|email1adresse|subscriberemail|contactemail)$/;
const FIRST_OF_SEVERAL = /primary|primaer|principal|haupt|main|standard|1/;
const LATER_OF_SEVERAL =
  /secondary|secondaire|sekundaer|secundari|alternat|additional|weitere|zweit|other|[2-9]/;
/** Such a heading speaks about the address, or about mails, and is no address. */
const NO_ADDRESS =
  /^(?:type|typ|label|display|angezeigter|anzeigename|name|client|format|date|datum|time|count|domain|hash|id|sent|opened|clicked|last|first|open|click|subject|betreff|reason|validation|verified|valid|owner|marketing|software|language|list|liste|source)$/;

/** Up to 100, by the heading alone. */
const addressScore = (words: readonly string[], compact: string): number => {
  if (/^(?:recipient|empfaenger|destinataire|destinatario)$/.test(compact)) return 50;
  if (/^(?:address|adresse|direccion)$/.test(compact)) return 20;
  if (!EMAIL.test(compact)) return 0;
  if (BEST.test(compact)) return 100;
  if (words.some((word) => NO_ADDRESS.test(word))) return 0;
  const later = LATER_OF_SEVERAL.test(compact) ? 30 : 0;
  return 70 + (FIRST_OF_SEVERAL.test(compact) ? 10 : 0) - later;
};

/** What a column is for, as its heading says it. */
export const readHeading = (heading: string): ReadHeading => {
  const words = wordsOf(heading);
  const compact = words.join('');
  const plain = words.join('_');
  const as = (role: ColumnRole): ReadHeading => ({ role, score: 0 });
  if (compact === '' || words.some((word) => LINK.test(word))) return as('ignore');
  const named = names.get(plain);
  if (named !== undefined) return as(named);
  const isStatus = STATUS.test(compact) && !OTHER_STATUS.test(compact);
  if (speaksOfLeaving(compact, words)) return as(isStatus ? 'status' : 'opt_out');
  if (isStatus) return as('status');
  if (IGNORED.test(plain)) return as('ignore');
  if (CONFIRMED.test(compact)) return as('opt_in');
  if (AGREED.test(compact)) return as(words.some((word) => CIRCUMSTANCE.has(word)) ? 'ignore' : 'opt_in');
  if (DOUBTFUL.test(compact)) return { role: 'status', score: 0, isDoubtful: true };
  if (QUESTION.test(compact) && !words.some((word) => CIRCUMSTANCE.has(word)))
    return { role: 'opt_in', score: addressScore(words, compact), isDoubtful: true };
  const score = addressScore(words, compact);
  return score > 0 ? { role: 'address', score } : as('value');
};

/** Only address books have such columns: nothing of them but address and name belongs into a list. */
const ADDRESS_BOOK =
  /nickname|spitzname|pseudonyme|phonetic|screenname|secondaryemail|sekundaereemail|^email[1-9](?:value|type|label|address|displayname|adresse)|^emailtyp|governmentid|fileas/;
export const isOfAddressBook = (heading: string): boolean => ADDRESS_BOOK.test(wordsOf(heading).join(''));
