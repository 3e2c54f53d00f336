// Rules about phrases of fraud and spam in German and English. One phrase proves little: weights rise with the number of
// different phrases, and a request for credentials counts most together with a threat and a link. reading/vocabulary.ts explains
// the patterns. Pure.
import type { ContentRule, Reading, RuleMatch } from './rule.ts';

const SECRETS =
  'identität|kontodaten|zugangsdaten|bankdaten|zahlungsdaten|kreditkartendaten|kontoinformationen|zahlungsinformationen|bankverbindung|anmeldedaten';

export const fraudPhrases = {
  credential_request: [
    `bestätigen|verifizieren|aktualisieren|überprüfen sie bitte? umgehend? ihre ${SECRETS}`,
    `bestätige|verifiziere|aktualisiere deine ${SECRETS}`,
    'bestätigen|verifizieren|aktualisieren sie sofort|umgehend|unverzüglich ihre daten|angaben',
    'geben|teilen sie uns? bitte? ihre|ihr|ihren pin|tan|kennwort|passwort|zugangsdaten|kreditkartennummer',
    'verify|confirm|validate|update your billing|payment|bank|banking|card|credit|login|personal|account card? information|details|data|credentials|identity',
    'verify|confirm|validate your identity|password|pin|mailbox',
    'enter|provide|send us? your password|pin|ssn|credentials|card',
    'social security number',
    'foto|kopie ihrer tan',
  ],
  account_confirmation: [
    'bestätigen|verifizieren|reaktivieren|entsperren sie ihr|ihren konto|zugang|account',
    'konto|zugang zu? bestätigen|verifizieren|reaktivieren|entsperren|freischalten',
    'verify|confirm|validate|restore|reactivate|unlock your account|access',
  ],
  account_threat: [
    'konto|zugang|account|karte wurde|wird|ist vorübergehend|vorläufig|dauerhaft|leider? gesperrt|eingeschränkt|deaktiviert|limitiert|gelöscht',
    'konto|zugang|account|karte gesperrt|eingeschränkt|deaktiviert|limitiert wurde|wird',
    'sperrung|deaktivierung|löschung ihres|ihrer kontos|zugangs|karte|accounts',
    'account has|was|is|will been|be? temporarily|permanently? been? suspended|locked|limited|restricted|disabled|closed|deactivated|blocked',
    'suspension|deactivation|termination of your account',
    'ungewöhnliche|verdächtige aktivitäten|aktivität|anmeldung|transaktion in|auf|von? ihrem|ihrer? konto|karte|account',
    'unusual|suspicious|unauthorized activity|login|sign|transaction',
  ],
  urgency: [
    'innerhalb|binnen von? der? nächsten? # stunden|stunde|tagen',
    'within the? next? # hours|days',
    'umgehend|unverzüglich|sofort|schnellstmöglich',
    'immediately|urgently|asap',
    'andernfalls|ansonsten|sonst wird|werden|müssen',
    'or|otherwise your|it|we account|will be|have permanently|closed|terminated|suspended',
    'letzte|final|last warnung|warning|mahnung|notice|reminder',
  ],
  parcel_fee: [
    'paket|sendung|lieferung konnte|kann nicht zugestellt|ausgeliefert werden',
    'package|parcel|shipment could|cannot|can not|be not? be? delivered',
    'zollgebühr|zollgebühren|einfuhrgebühr|versandgebühr|nachgebühr in|von|bezahlen|zahlen|begleichen',
    'customs|shipping|delivery|redelivery fee|charge of|to',
    'bezahlen|zahlen|begleichen sie bitte? die? zollgebühr|zollgebühren|versandgebühr|gebühr von|in',
  ],
  advance_fee: [
    'next of kin',
    'million|millionen|mio us? dollar|dollars|usd|euro|pounds',
    'dear beneficiary|winner',
    'lieber|liebe|sehr begünstigter|begünstigte|gewinner|gewinnerin',
    'inheritance|erbschaft|erbe|nachlass fund|funds|von|in|über',
    'inheritance|lottery|compensation fund|funds|payment|winnings',
    'lottery|lotto|lotterie gewinn|winner|winning|won|gewonnen|promotion|international|award',
    'you have|ve won',
    'sie haben * *? gewonnen',
    'sie haben gewonnen',
    'sie wurden|sind als|zum|der|die gewinner|glücklicher|glückliche|gewinnerin',
    'you have|were|been been? selected|chosen as|for|to',
    'claim your prize|winnings|reward|gift|funds|inheritance',
    'fordern|holen sie sich? ihren gewinn|preis',
    'western|money union|gram',
    'utmost|strictly|absolute confidential|confidentiality|secrecy',
    'streng vertraulich',
    'business|geschäftliche|geschäftlicher proposal|vorschlag|transaction|transaktion',
    'diplomat|barrister|rechtsanwalt des|of|from verstorbenen|the|london|nigeria|benin',
    'verstorbenen|verstorbener kunden|kunde|klienten|klient',
    'deceased|late client|customer|husband',
    'transfer of? the|this sum|fund|funds',
  ],
  money_promise: [
    'double|triple your money|bitcoin|investment|income',
    'verdoppeln|verdreifachen sie ihr|ihren|ihre geld|einsatz|bitcoin|investition|einkommen',
    'passives|passive einkommen|income',
    'verdienen sie bis|täglich|monatlich|schnell|ganz zu|einfach|#|geld|von',
    'earn|make up? to? #? $ # per|a|every|daily',
    'earn|make $ # per|a|every|daily',
    'earn money|cash|extra from|fast|online|today|now',
    'work from home|anywhere and|no? earn|experience',
    'garantierte|guaranteed rendite|returns|return|gewinne|profit|profits|income',
    'finanzielle|financial freiheit|freedom',
    'geheimer|geheime|secret trick|methode|system|method|formula',
    'no|without|zero risk investment|involved|required',
    'krypto|crypto|bitcoin trading|investment|plattform|platform|roboter|bot|gewinne|profits|giveaway|investieren',
    'investieren sie jetzt|heute|in nur|in|bitcoin|krypto|kryptowährungen',
    'get rich',
    'schnell reich werden',
    'über nacht reich',
    'millionär|millionaire werden|in|become',
    'kredit|darlehen|sofortkredit ohne|trotz schufa|auskunft',
    'sofortkredit',
    'instant|fast|payday loan|loans|cash|approval',
    'no credit check',
    'schuldenfrei|debt in|relief|free',
  ],
  gambling: [
    'online casino|casinos',
    'casino bonus|bonuses|spiele|games',
    'freispiele|willkommensbonus',
    'free spins',
    'jackpot knacken|gewinnen|wartet|win|waiting',
    'sportwetten|wettbonus',
    'place your bets',
    'einzahlungsbonus',
    'deposit bonus',
  ],
  pharmacy: [
    'viagra|cialis|levitra|sildenafil|tadalafil|kamagra|potenzmittel',
    'ohne rezept|verschreibung|arztrezept bestellen|kaufen|bestellbar|erhältlich',
    'rezeptfrei|diskret bestellen|kaufen|geliefert|versand|verpackt',
    'no prescription needed|required|necessary',
    'without a? prescription',
    'online|canadian pharmacy|apotheke|pharmacies ohne|with|no|cheap|billig|bestellen',
    'canadian pharmacy',
    'cheap|billige|billig meds|medikamente|pills|pillen|viagra|drugs|cialis',
    'buy|order|kaufen|bestellen sie? viagra|cialis|meds|pills|potenzmittel|xanax|tramadol|ozempic|valium',
    'xanax|tramadol|oxycodone|phentermine|valium',
    'lose|verlieren # pounds|kilo|lbs|kg in|fast|pro',
    'abnehmen|gewichtsverlust ohne diät|sport|hunger|anstrengung',
    'wunderpille|wundermittel|fatburner',
    'miracle|weight loss? pill|cure|pills',
    'penisvergrößerung',
    'penis|male enlargement|enhancement',
    'last longer in bed',
    'bessere|härtere erektion|erektionen',
  ],
  adult: [
    'hot|sexy|single|horny girls|singles|women|ladies|frauen|milfs in|near|aus|waiting|want',
    'singles|frauen in ihrer nähe|umgebung',
    'adult dating|webcam|chat',
    'sextreffen|seitensprung|pornos|sexkontakte|porno|porn|xxx',
    'live sex|cam|cams',
    'nude|naked|nackte photos|pics|girls|frauen|fotos|bilder',
  ],
  extortion: [
    'webcam|kamera aufgenommen|gefilmt|recorded|footage|video',
    'recorded|filmed you|sie|dich through|via|mit|while',
    'bitcoin|btc|wallet adresse|wallet|address|überweisen|senden',
    'send|senden|überweisen|transfer sie? $|€? # €|$|euro|dollars|usd? in|worth? of? bitcoin|btc',
    'i have hacked|infected|full your|access|control',
    'ich habe ihr|ihren|dein|deinen|vollen system|computer|gerät|rechner|zugriff|account',
    'malware|trojaner|trojan installed|installiert|infiziert|auf',
    'ihre|your|alle|all kontakte|contacts|freunde|friends weiterleiten|senden|schicken|receive|will',
    'adult|porn|porno website|websites|seiten|sites|seite',
    'ihre|deine webcam|kamera gehackt',
    'ich habe sie|dich gefilmt|aufgenommen',
    'zahlen|bezahlen|zahle sie? mir? # €|euro in bitcoin|btc',
    'an alle? ihre|deine kontakte',
  ],
  fake_goods: [
    'replica|replika uhren|watches|rolex|handbags|taschen',
    'rolex|breitling|omega replica|replika|copies',
    'designer|luxury watches|bags|handbags for|at|from|replica',
    'gefälschte|falsche führerschein|führerscheine|zeugnisse|pässe',
    'führerschein|doktortitel|diplom|degree|diploma kaufen|online|without|ohne exam|prüfung|kaufen',
    'buy|kaufen followers|likes|backlinks|follower|traffic',
    'million|millionen|thousand|tausend|tausende email|emails|leads|adressen|followers|follower',
    'ranking|rankings|platz # in|on|bei google',
    'seo services|dienste|dienstleistungen|packages',
  ],
} as const;

type Topic = keyof typeof fraudPhrases;

const phrasesOf = ({ phrases }: Reading, topic: Topic): readonly string[] => phrases.get(topic) ?? [];

const says =
  (topic: Topic) =>
  (reading: Reading): RuleMatch | null => {
    const found = phrasesOf(reading, topic);
    return found.length > 0 ? { detail: found.slice(0, 3).join('; '), count: found.length } : null;
  };

/** A request for secret data with a threat or urgency, and a link to enter the data. */
const isTrap = (reading: Reading): boolean => {
  const has = (topic: Topic): boolean => phrasesOf(reading, topic).length > 0;
  if (!reading.links.some(({ host }) => host !== null)) return false;
  return has('credential_request')
    ? has('account_threat') || has('urgency')
    : has('account_confirmation') && has('account_threat');
};

export const fraudRules: readonly ContentRule[] = [
  {
    id: 'phishing_trap',
    weight: 30,
    finds: (reading) => (isTrap(reading) ? { detail: null } : null),
  },
  {
    id: 'credential_request',
    weight: [20, 30],
    finds: says('credential_request'),
  },
  {
    id: 'account_threat',
    weight: [12, 20],
    finds: says('account_threat'),
  },
  {
    id: 'parcel_fee',
    weight: [8, 30, 50],
    finds: says('parcel_fee'),
  },
  {
    id: 'advance_fee',
    weight: [8, 25, 45, 65, 80],
    finds: says('advance_fee'),
  },
  {
    id: 'money_promise',
    weight: [10, 28, 45, 65, 80],
    finds: says('money_promise'),
  },
  {
    id: 'gambling',
    weight: [15, 35, 55, 75],
    finds: says('gambling'),
  },
  {
    id: 'pharmacy',
    weight: [10, 30, 55, 75],
    finds: says('pharmacy'),
  },
  {
    id: 'adult',
    weight: [20, 50, 75],
    finds: says('adult'),
  },
  {
    id: 'extortion',
    weight: [6, 25, 50, 75],
    finds: says('extortion'),
  },
  {
    id: 'fake_goods',
    weight: [10, 35, 60, 75],
    finds: says('fake_goods'),
  },
];
