// Rules that recognize advertising, which is not spam but must not be sent as transactional mail (§ 7 UWG). The points of all
// signs are added, at most 100; from 40 on a mail is advertising. Usual words of appointments, recalls, invoices and orders
// have no points: prices, a personal discount, "free of charge". reading/vocabulary.ts explains the patterns. Pure.
import type { PhraseHits } from '#src/content/reading/vocabulary.ts';

interface PromotionalRule {
  readonly id: string;
  /** `points` for the first phrase that is found, `further` for each other one. */
  readonly points: number;
  readonly further: number;
  /** Bills use these phrases too; there they count for little. */
  readonly isBillTalk?: true;
  readonly phrases: readonly string[];
}

const BILL_SHARE = 0.4;
/** A mail with this many different phrases of bills counts as one. */
const BILL_WORDS = 2;
const MAX_POINTS_OF_RULE = 50;
const MAX_SCORE = 100;
const MONEY = '€|eur|euro|$|£';

export const promotionalRules: readonly PromotionalRule[] = [
  {
    id: 'promo_discount',
    points: 28,
    further: 10,
    isBillTalk: true,
    phrases: [
      'bis zu # % auf|rabatt|reduziert|sparen|nachlass|günstiger|sale',
      '# % rabatt|nachlass auf|für|bei|bis|sichern|mit|erhalten|extra',
      '# % auf alle|alles|ihre|ihren|deine|deinen|das|die|unsere|unser nächste|nächsten|gesamte|ganze|behandlungen|artikel|produkte|sortiment|bestellung',
      '# % auf alles|alle',
      '# % sparen|günstiger|billiger|reduziert|extra',
      '# % off|discount on|your|all|everything|any|for|when|with|until|today|now|sitewide|selected',
      '# % off',
      'erhalten|bekommen|sparen sie|wir # % rabatt|nachlass|auf',
      '# % auf das gesamte|ganze sortiment|angebot',
      'save up? to? # %',
      'save up? to? $|€|£ #',
      'sparen sie bis? zu? # %|€|euro',
      'spare bis? zu? # %|€|euro',
      'stark|drastisch|radikal reduziert|reduzierte|gesenkt',
      'rabattaktion|rabattaktionen|rabattwoche|rabattwochen|preissturz|tiefpreise|tiefpreis|dauertiefpreis',
      'zwei|2|# zum preis von',
      'buy one get one',
      'buy # get #',
      'rabatt sichern|erhalten|geschenkt',
    ],
  },
  {
    id: 'promo_discount_word',
    points: 8,
    further: 0,
    isBillTalk: true,
    phrases: ['rabatt|rabatte|preisnachlass|neukundenrabatt|frühbucherrabatt|discount|discounts'],
  },
  {
    id: 'promo_voucher',
    points: 20,
    further: 5,
    isBillTalk: true,
    phrases: [
      'gutscheincode|rabattcode|aktionscode|promocode|gutscheincodes',
      'gutschein im wert|einlösen|sichern|geschenkt',
      'als|ihr|ihren|deinen|dein|einen persönlichen|exklusiven|willkommensgutschein gutschein|rabattgutschein',
      'geschenkgutschein|geschenkgutscheine|gutscheinaktion',
      'promo|discount|coupon|voucher code|codes',
      'code * for|und|and # %',
      'code * at checkout',
      'code * an der kasse',
      'coupon|coupons|voucher|vouchers',
    ],
  },
  {
    id: 'promo_offer',
    points: 25,
    further: 10,
    phrases: [
      'sonderangebot|sonderangebote|sonderpreis|aktionspreis|aktionspreise|aktionswoche|aktionswochen|aktionsangebot|schnäppchen',
      'bestpreis|bestpreise|knallerpreis|superpreis',
      'einmaliges|einmalige|exklusives|exklusive|exklusiven|unschlagbares|unschlagbare|unwiderstehliche|tolle|tollen|attraktive|attraktiven|limitiertes|limitierte|besonderes angebot|angebote|angeboten',
      'angebot|angebote|aktion des|der monats|woche|tages|saison',
      'unsere|unser aktuellen|aktuelle|neuesten|aktuelles|neues angebote|angebot|aktion|aktionen',
      'angebot|aktion gilt|gültig nur? noch? bis|solange|für|heute',
      'black friday|week|weekend',
      'cyber monday|week',
      'sommerschlussverkauf|winterschlussverkauf|schlussverkauf|ausverkauf|räumungsverkauf|rausverkauf|lagerverkauf',
      'summer|winter|spring|autumn|flash|clearance|final|big|end|season sale|sales of?',
      'sale ends|now|starts|endet|startet|is|bis',
      'special|exclusive|limited|unbeatable|best|great|amazing|hot offer|offers|deal|deals',
      'best price|prices guaranteed?',
      'deal|deals of the day|week|month',
      'wochenangebot|wochenangebote|tagesangebot|tagesangebote|monatsangebot|herbstaktion|frühjahrsaktion|sommeraktion|winteraktion|weihnachtsaktion|osteraktion|jubiläumsaktion|frühlingsaktion',
      'einführungspreis|einführungsangebot|kennenlernangebot|kennenlernpreis|vorteilspreis|vorzugspreis|jubiläumspreis',
      'zum|zu sensationellen|unschlagbaren|sensationellem|unschlagbarem preis|preisen',
    ],
  },
  {
    id: 'promo_price_pitch',
    points: 15,
    further: 5,
    isBillTalk: true,
    phrases: [
      `nur|bereits|schon|lediglich ab? # ${MONEY}`,
      `statt bisher? # ${MONEY}?`,
      `für nur|unter # ${MONEY}?`,
      `schon|bereits ab # ${MONEY}?`,
      'only|just $|£|€ #',
      `only|just # ${MONEY}`,
      'for|from only|just $|£|€ #',
      'was $|£|€ # now',
    ],
  },
  {
    id: 'promo_call',
    points: 20,
    further: 10,
    phrases: [
      'jetzt kaufen|bestellen|shoppen|sichern|sparen|zugreifen|zuschlagen|entdecken|ausprobieren|profitieren|einkaufen|testen|einlösen',
      'gleich|sofort|direkt|hier kaufen|bestellen|shoppen|sichern|zugreifen|einkaufen',
      'zum shop|onlineshop|sale',
      'sichern sie sich|ihren|ihr|jetzt|noch|heute',
      'sichere|sicher|hol|schnapp dir|deinen',
      'greifen|schlagen sie jetzt|schnell|gleich zu',
      'bestellen|kaufen|shoppen|profitieren|testen|sparen sie jetzt|noch|gleich|heute',
      'profitieren sie von',
      'shop|buy|order|save now',
      'shop|buy|save today|online',
      'shop the|our|all',
      'claim|grab|get yours|your now|offer|discount|deal|free',
      'don t miss|wait',
      'verpassen sie nicht|keine|kein',
      'nicht entgehen',
      'überzeugen|verwöhnen|gönnen|überraschen sie sich|ihre|ihren',
      'gönnen sie ihrer|ihrem',
      'try it free|now|today',
      'upgrade now|today',
    ],
  },
  {
    id: 'promo_booking_call',
    points: 12,
    further: 3,
    phrases: [
      'jetzt|gleich|noch heute? buchen|reservieren',
      'buchen|reservieren sie jetzt|gleich|noch|heute',
      'book|reserve now|today',
      'book your treatment|stay|trip|table|seat|spot',
    ],
  },
  {
    id: 'promo_deadline',
    points: 12,
    further: 5,
    phrases: [
      'nur noch? heute|diese|dieses|wenige',
      'nur noch? bis',
      'nur noch # tage|stunden|stück|plätze',
      'nur für kurze zeit',
      'solange der|die? vorrat|vorräte reicht|reichen',
      'letzte|last chance',
      'while stocks|supplies|stock last|lasts',
      'limited time only|offer',
      'for a limited time',
      'ends tonight|today|soon|sunday|midnight|friday|tomorrow',
      'offer|sale|discount|deal expires',
      'only few|# left|places|remaining',
      'beeilen sie sich',
      'hurry',
      'frühbucher|frühbucherpreis',
      'early bird',
    ],
  },
  {
    id: 'promo_free',
    points: 15,
    further: 8,
    phrases: [
      'gratis|geschenkt|gratisprobe|gratisversand',
      'kostenlos|kostenfrei|unverbindlich testen|probieren|ausprobieren|kennenlernen|sichern|dazu',
      'kostenlose|kostenlosen|kostenloses|kostenfreie|kostenfreien|unverbindliche|gratis probe|testversion|muster|geschenk|proben|probestunde|probetraining|testphase|beratung|erstberatung|probemonat|zahnreinigung|behandlung',
      'free trial|gift|gifts|sample|samples|consultation|shipping|bonus|quote',
      'for free',
      'try|start for? free',
      '# tage|wochen|monate|monat gratis|kostenlos',
      '# days|weeks|months free',
      'versandkostenfrei ab|bestellen|bis',
      'erhalten|kassieren|sichern sie eine|ihre prämie',
      'pro|je|jeden neukunde|neukunden|neukundin',
      'ohne versandkosten',
    ],
  },
  {
    id: 'promo_signup',
    points: 22,
    further: 5,
    phrases: [
      'jetzt|gleich zum|für|unseren|unserem den|unseren? newsletter anmelden|abonnieren|bestellen',
      'jetzt|gleich zum|unseren newsletter anmelden|abonnieren|bestellen',
      'jetzt newsletter abonnieren|bestellen|sichern',
      'melden sie sich jetzt|gleich|heute? für|zu|zum unseren|unserem|den? newsletter',
      'abonnieren|abonniere sie|jetzt|unseren jetzt|unseren? unseren? newsletter',
      'sign up now|today',
      'subscribe now|today',
      'noch kein mitglied|kunde',
      'freunde|freundinnen|kunden werben|einladen und|werben?',
      'refer a friend',
      'invite your|a friends|friend and|to',
      'empfehlen sie uns weiter|ihren|und',
      'laden sie sich? unsere neue? app',
      'werden sie jetzt? mitglied',
      'treueprogramm|vorteilsclub|kundenclub',
    ],
  },
  {
    // The confirmation of a subscription has these phrases too, so they count for little.
    id: 'promo_newsletter',
    points: 8,
    further: 0,
    phrases: [
      'sign up for|to our newsletter|mailing|offers|deals',
      'subscribe to our newsletter|mailing|blog',
      'newsletter abonnieren|anmelden',
      'folgen sie uns',
      'follow us on',
    ],
  },
  {
    id: 'promo_novelty',
    points: 15,
    further: 5,
    phrases: [
      'entdecken sie unsere|unser|jetzt|die|den|das|neue',
      'entdecke unsere|unser|jetzt|die|den|das|neue',
      'discover our|the new|latest',
      'neu im|in sortiment|programm|unserem sortiment|shop|programm?',
      'neue|neuen kollektion|kollektionen|produkte|produktlinie',
      'new collection|arrivals|in|range|products',
      'introducing our|the new',
      'das|die|ein perfekte|ideale|perfektes geschenk|geschenkidee|geschenkideen',
      'geschenkidee|geschenkideen|geschenktipp|geschenktipps',
      'perfect|ideal gift|present for|this',
      'jetzt neu',
      'bestseller|topseller|neuheiten',
    ],
  },
  {
    id: 'promo_igel',
    points: 15,
    further: 12,
    phrases: [
      'selbstzahlerleistung|selbstzahlerleistungen|igel|wunschleistung|wunschleistungen|zusatzleistung|zusatzleistungen',
      'individuelle|individuellen gesundheitsleistung|gesundheitsleistungen',
      'botox|hyaluron|filler|faltenunterspritzung|faltenbehandlung|fettwegspritze|lippenaufspritzung',
      'bleaching|zahnaufhellung|veneers',
      'anti aging|age',
      'strahlend|strahlende weiße|weißere zähne',
      'strahlendes|strahlenderes|perfektes lächeln',
      'jünger|frischer aussehen|wirken',
      'faltenfrei|faltenfreie|straffere|jugendliche haut|in',
      'whiter|brighter|perfect teeth|smile',
      'look|feel years? # years|younger',
      'detox|entschlackungskur|vitamininfusion|vitamininfusionen|aufbaukur|infusionskur|vitaminkur',
      'beauty|wellness|schönheits paket|pakete|day|behandlung|behandlungen|angebot|package',
      'sommerfigur|bikinifigur|traumfigur|wunschfigur|wunschgewicht',
    ],
  },
];

const BILL = 'bill';

export const promotionalPhrases: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(promotionalRules.map(({ id, phrases }) => [id, phrases])),
  [BILL]: [
    'zwischensumme|gesamtsumme|gesamtbetrag|rechnungsbetrag|endbetrag|subtotal|gesamtpreis',
    'mwst|ust|umsatzsteuer|mehrwertsteuer|vat',
    'rechnungsnummer|rechnungsdatum|rechnung',
    'bestellnummer|auftragsnummer|bestellbestätigung|kundennummer',
    'invoice|receipt number|no|date|total|for',
    'order number|no|confirmation|total|summary',
    'ihre|deine bestellung|buchung #',
    'vielen dank für ihre|deine|die bestellung|buchung|zahlung',
    'thank you for your order|purchase|payment|booking',
    'versandkosten|lieferadresse|rechnungsadresse',
    'shipping|billing address',
  ],
};

/** The ids of the rules that found something, those with most points first. */
export const ratePromotional = (hits: PhraseHits): { ids: string[]; score: number } => {
  const isBill = (hits.get(BILL)?.length ?? 0) >= BILL_WORDS;
  const found = promotionalRules.flatMap(({ id, points, further, isBillTalk }) => {
    const count = hits.get(id)?.length ?? 0;
    if (count === 0) return [];
    const full = Math.min(MAX_POINTS_OF_RULE, points + (count - 1) * further);
    return [{ id, points: isBill && isBillTalk ? full * BILL_SHARE : full }];
  });
  const sum = found.reduce((total, { points }) => total + points, 0);
  return {
    ids: found.toSorted((a, b) => b.points - a.points).map(({ id }) => id),
    score: Math.min(MAX_SCORE, Math.round(sum)),
  };
};
