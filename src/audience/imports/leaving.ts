// What other services write of people who are on a list, or are so no longer, in English, German, French and Spanish. Who is not
// known to be a subscriber is none: an unknown word leaves a person out. Pure.
import { wordsOf } from './plain.ts';

/** Why mail must not go to them, as far as the file says it. */
export type Leaving = 'unsubscribe' | 'complaint' | 'bounce' | 'other';

const kinds: Readonly<Record<Exclude<Leaving, 'other'>, RegExp>> = {
  complaint: /complain|beschwerde|plainte|queja|spam|abuse/,
  bounce:
    /bounce|clean(?:ed|time|campaign|ip)|bereinigt|rebot|rebond|unzustellbar|undeliverable|invalid|ungueltig|nonvalide/,
  unsubscribe:
    /unsub|optout|optedout|abmeld|abgemeldet|abbestell|ausgetragen|austrag|widerruf|widerspr|zurueckge(?:zogen|nommen)|deabonn|unabonn|desabonn|desinscri|desuscri|debaja|desabonad|cancelled|canceled|withdraw|retraitd[eu]|revo[ck]|revoq|resili(?:e|ation)/,
};
const OTHER =
  /austritt|ausgetreten|sperr|keine?(?:werbung|newsletter|e?mails?|post)|dea[ck]tiv|desactiv|ina[ck]tiv|inactif|disabled|bla(?:ck)?list|block(?:ed|list|iert)|listenoire|listanegra|bloque|suppress|unterdrueckt|supprime|donot(?:e?mail|contact|send|disturb)|dontmail|nomail|geloescht|deleted|removed|eliminad|exclud|excluid|exclusion|exclus?$|ausgeschlossen|verstorben|deceased|opposition|cancelad|gekuendigt|kuendigung|rejected|abgelehnt|non?subscri|unconfirmed|unverified|notconfirmed|unbestaetigt|nichtbestaetigt|noconfirmad|nonconfirme|quarantin|^(?:is)?archiv(?:ed|iert)$|suspend|robinsonlist|entzogen|declined|denied|refuse|rechazad|verweigert/;
/** Whole words, joined by `_`: a number to call is `Teléfono contacto`. */
const REFUSING =
  /(?:^|_)(?:(?:ne_pas|ne_plus|no|no_mas|never|dont|don_t)_(?:contact|envo[iy]|enviar|e?_?mail|molest|recib|recevoir)|(?:nicht|nicht_mehr)_(?:kontakt|anschreib|senden|erwuenscht|gewuenscht)|(?:not|nicht|non|no|pas)_(?:subscri|abonn|angemeldet|a[ck]ti[vf]|opt|inscri|suscri|verifi|allowed|erlaubt|einverstanden|zugestimmt|accept))/;
const SHORT_WORDS = new Set(['baja', 'dnc', 'dne']);

export const leavingOf = (text: string): Leaving => {
  const compact = wordsOf(text).join('');
  for (const kind of ['complaint', 'bounce', 'unsubscribe'] as const)
    if (kinds[kind].test(compact)) return kind;
  return 'other';
};

export const speaksOfLeaving = (compact: string, words: readonly string[]): boolean =>
  OTHER.test(compact) ||
  REFUSING.test(words.join('_')) ||
  Object.values(kinds).some((kind) => kind.test(compact)) ||
  words.some((word) => SHORT_WORDS.has(word));

/** `ohne Abgemeldete.csv` has none of them. */
const WITHOUT = /^(?:ohne|without|sans|except|sin)$/;

/** A file of people who left, by its name: `unsubscribed_members_export.csv`; null: it does not say so. */
export const leavingByName = (fileName: string | null): Leaving | null => {
  if (fileName === null) return null;
  const words = wordsOf(fileName);
  if (!speaksOfLeaving(words.join(''), words) || words.some((word) => WITHOUT.test(word))) return null;
  return leavingOf(fileName);
};

const setOf = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const SUBSCRIBED = setOf(
  'subscribed subscriber active confirmed enabled verified opted_in opt_in optin double_opt_in single_opt_in doi member allowed granted marketing_contact aktiv angemeldet abonniert abonnent bestaetigt eingetragen zugestimmt erteilt erlaubt inscrit inscrite abonne abonnee actif confirme confirmee suscrito suscrita inscrito inscrita activo activa confirmado confirmada abonado abonada alta',
);
const YES = setOf('yes y true t ja j wahr oui vrai si verdadero on x checked');
const NO = setOf(
  'no n false f nein falsch non faux falso off none null nil never nie keine kein jamais nunca ninguno n_a',
);
const UNCONFIRMED = setOf(
  'pending unconfirmed not_confirmed unbestaetigt nicht_bestaetigt ausstehend wartend waiting new neu en_attente non_confirme non_confirmee pendiente sin_confirmar no_confirmado transactional non_subscribed never_subscribed not_subscribed',
);
/** A value that says nothing, such as `0000-00-00 00:00:00`. */
const NOTHING = /^[\s0.:/+\-–—TZ]*$/;
/** A reply of a server, or a status of RFC 3463. */
const FAILED = /^5(?:\.\d{1,3}\.\d{1,3}|\d\d)\b/;
const TICK = /^[✓✔☑✅]\ufe0f?$/u;
const TIME = /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}|^\d{9,13}$/;

export type StateRule = 'status' | 'opt_in' | 'opt_out';

/** What a cell says of the person in its row. */
export type CellState = 'subscribed' | 'unconfirmed' | 'unknown' | 'left';

/** `status`: a word; `opt_in`: yes, or since when; `opt_out`: no, or nothing where else the time of leaving is. */
export const stateOf = (rule: StateRule, cell: string): CellState => {
  const text = cell.trim();
  const words = wordsOf(text);
  const plain = words.join('_');
  if (rule === 'opt_out') return NOTHING.test(text) || NO.has(plain) ? 'subscribed' : 'left';
  if (SUBSCRIBED.has(plain) || YES.has(plain) || TICK.test(text)) return 'subscribed';
  if (rule === 'opt_in' && (text === '1' || (TIME.test(text) && !NOTHING.test(text)))) return 'subscribed';
  if (UNCONFIRMED.has(plain)) return 'unconfirmed';
  if (rule === 'opt_in' && (text === '' || text === '0')) return 'unconfirmed';
  if (NO.has(plain) || speaksOfLeaving(words.join(''), words)) return 'left';
  return rule === 'status' && FAILED.test(text) ? 'left' : 'unknown';
};

/** Whether all that these cells say is known, in words that only a status has: in `yes` and `no` alone there may be anything. */
export const areStatus = (cells: readonly string[]): boolean =>
  cells.every((cell) => stateOf('status', cell) !== 'unknown') &&
  cells.some((cell) => {
    const words = wordsOf(cell);
    return SUBSCRIBED.has(words.join('_')) || speaksOfLeaving(words.join(''), words);
  });

/** Whether these cells answer a question: some with a known word, or all with 0 or 1. */
export const areAnswers = (cells: readonly string[]): boolean =>
  cells.some((cell) => stateOf('status', cell) !== 'unknown') ||
  (cells.length > 0 && cells.every((cell) => cell === '0' || cell === '1'));
