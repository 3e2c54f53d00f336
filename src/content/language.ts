// Detects in which of the service's languages a message is written: by frequent small words if they are clear, else by the
// document's `lang` attribute and by letters that only one language has. The default is the service's. Pure.
import { answerDefault, type Language, languages } from '#src/kernel/language.ts';
import type { Content } from './assessment.ts';
import { readHtml } from './reading/html.ts';
import { readText } from './reading/text.ts';
import { Vocabulary } from './reading/vocabulary.ts';
import { signsOf } from './words.ts';

/** UTF-16 code units of text, more than is needed to decide. */
const LOOKED_AT = 1_200;
/** Templates often have a wrong `lang="en"`. The words decide if one language has this many more than each other. */
const CLEAR_LEAD = 4;
const HTML_LANGUAGE = /<html[^>]{0,200}\slang=["']?([a-z]{2})/i;

interface Signs {
  readonly vocabulary: Vocabulary;
  /** The number of a word leads to the place of its language in `languages`. */
  readonly languageOfWord: readonly (number | undefined)[];
  readonly letters: readonly (RegExp | null)[];
}

let known: Signs | undefined;

/** Made when the first message comes: at the start the catalogues are not loaded. */
const signs = (): Signs => {
  if (known !== undefined) return known;
  const all = languages.map(signsOf);
  const words = all.map(({ frequent }) => frequent.split(' '));
  const vocabulary = new Vocabulary(words.flat());
  const languageOfWord: (number | undefined)[] = [];
  for (const [index, list] of words.entries())
    for (const word of list) languageOfWord[vocabulary.idOfWord(word)] = index;
  known = {
    vocabulary,
    languageOfWord,
    letters: all.map(({ letters }) => (letters === '' ? null : new RegExp(`[${letters}]`, 'i'))),
  };
  return known;
};

export const languageOf = ({ subject, text, html }: Pick<Content, 'subject' | 'text' | 'html'>): Language => {
  // A whole body behind the subject would be copied for its beginning.
  const body = text?.slice(0, LOOKED_AT) ?? (html === null ? '' : readHtml(html, LOOKED_AT).text);
  const shown = `${subject}\n${body}`.slice(0, LOOKED_AT);
  const { vocabulary, languageOfWord, letters } = signs();
  const counts: number[] = letters.map((own) => (own?.test(shown) ? 1 : 0));
  for (const id of readText(shown, vocabulary).ids) {
    const index = languageOfWord[id];
    if (index !== undefined) counts[index] = (counts[index] ?? 0) + 1;
  }
  const [first = 0, second = 0] = counts.toSorted((one, other) => other - one);
  const likely = languages[counts.indexOf(first)] ?? languages[0];
  const declared = HTML_LANGUAGE.exec(html?.slice(0, LOOKED_AT) ?? '')?.[1]?.toLowerCase();
  if (first - second >= CLEAR_LEAD || declared === undefined) return likely;
  return languages.find((language) => language === declared) ?? answerDefault;
};

// Words that say what a person suffers from or is treated for: diagnoses, findings, treatments, and codes of diagnoses. What
// belongs to every visit (appointment, check-up, vaccination) is not among them. Pure.

/** Whole words in any case, as regular expressions; also beside non-ASCII letters. */
const whole = (...lists: readonly string[]): RegExp =>
  new RegExp(`(?<!\\p{L})(?:${lists.join('|')})(?!\\p{L})`, 'iu');

/** The plural of Befund is the past of befinden too, which is written small. */
const FINDINGS = /(?<!\p{L})(?:\p{L}{0,20}[Bb]efund(?:e|es|s)?|\p{L}{0,20}BEFUNDE?|Befunden)(?!\p{L})/u;

const germanNames = whole(
  '(?:verdachts|erst|zweit)?diagnosen?(?! (?:ihres|des|der) (?:geräts|autos|netzes|systems?|it))',
  '(?:labor|blut|leber|schilddrüsen|psa|zucker)werte?n?|(?:labor|blut|test|röntgen|mrt)ergebnis(?:se[ns]?)?',
  '\\p{L}{2,20}(?:krebs|karzinom|tumor|arthrose|neurose|psychose)(?:e[ns]?|s)?|tumor(?:e[ns]?|s)?|karzinom(?:e[ns]?|s)?',
  'krebs-?(?:vorsorge|nachsorge|erkrankung|früherkennung|therapie|behandlung|verdacht|diagnose|patient(?:in|en)?|zentrum|sprechstunde)',
  'melanom(?:e|s)?|leukämie|lymphom(?:e|s)?|metastasen?|hiv|hepatitis|diabetes|epilepsie|demenz|rheuma|arthrose',
  'multiple sklerose|parkinson-?(?:krankheit|erkrankung)|alzheimer-?(?:krankheit|erkrankung|demenz)',
  'schlaganfall|herzinfarkt|bluthochdruck|asthma|migräne|neurodermitis|schuppenflechte|psoriasis|borreliose|tuberkulose',
  'depression(?:en)?|burn-?out|schizophrenie|angststörung|essstörung|magersucht|bulimie|adhs|sucht(?:therapie|beratung|klinik)',
  'syphilis|chlamydien|gonorrhoe?|geschlechtskrankheit(?:en)?|hämorrhoiden|inkontinenz|erektionsstörung',
  'schwangerschaft\\p{L}{0,15}|fehlgeburt|unfruchtbarkeit|kinderwunschbehandlung|karies|parodont(?:itis|ose)',
  '\\p{L}{0,20}therapien?|therapie(?:sitzung|plan|termin|beginn)|(?!(?:un)?gleich|vorzugs)\\p{L}{0,20}behandlung(?:en)?',
  'behandlungs(?:termin|plan|ergebnis|beginn)s?|(?:magen|darm|gelenk)spiegelung|koloskopie|gastroskopie|mammogra(?:ph|f)ie',
  'biopsie|mrt|röntgen(?:aufnahme|bild|termin|untersuchung)?|ultraschall(?:untersuchung|termin)?|dialyse|bestrahlung(?:en)?',
  '(?:op|ct)-(?:termin|bericht|vorbereitung|aufklärung)|(?<!hours of )(?:augen|knie|hüft|herz|zahn|fuß|hand|leisten)?operation(?:stermin)?|zahnextraktion|wurzelspitzenresektion|weisheitsz(?:ahn|ähne)(?:-op)?',
  'schwangerschaftsabbruch|abtreibung|vasektomie|entzug(?:stherapie)?',
  'medikament(?:e[ns]?|s)?|medikation(?:splan)?|(?:folge|wiederholungs)rezepte?|ihr rezept|antidepressiv(?:um|a)|antibiotik(?:um|a)|insulin|methadon',
  'onkolog\\p{L}{1,6}|psychiatri\\p{L}{1,6}|psychotherap\\p{L}{1,6}',
);

const englishNames = whole(
  '(?:mis)?diagnos(?:is|es|ed)|(?:test|lab|laboratory|blood|biopsy|scan) results?|blood (?:test|work)s?|pathology report',
  '\\p{L}{0,10}cancer|tumou?rs?|carcinomas?|melanomas?|leuka?emia|lymphomas?|metastas[ie]s|diabetic|epilep(?:sy|tic)|dementia',
  "heart attack|hypertension|multiple sclerosis|parkinson[’']s disease|alzheimer[’']s(?: disease)?|arthritis|eczema|tuberculosis",
  'bipolar|schizophreni[ac]|anorexia|bulimia|adhd|infertility|pregnan\\p{L}{1,3}|miscarriage|abortion|ivf|gonorrh(?:o)?ea|chlamydia',
  '(?<!(?:equal|special|preferential|royal) )treatments?(?! rooms?)|\\p{L}{0,10}therapy|chemo|root canal|biopsy|x-?rays?|mri|ct scan',
  "your (?:\\p{L}+ )?(?:surgery|operation)(?![’'\\p{L}])|surgery (?:date|appointment)|colonoscopy|mammogra(?:m|phy)s?|ultrasound|dialysis",
  'prescriptions?|medications?|antidepressants?|antibiotics?|periodontitis|oncology|psychiatr\\p{L}{1,6}',
);

/** Hearing aids are no illness, and masks for an OP no operation. */
const CAPITALS = /(?<![\p{L}-])(?:AIDS|OP|CT|COPD|PTBS|PTSD)(?![\p{L}-])/u;

/** ICD-10: `F32.1`. Chapters V to Y are no illnesses, and such codes are versions. */
const CODE = /(?<![\p{L}\p{N}.])(?:[A-TZ]\d{2}\.\d{1,2}|ICD[- ]?1[01])(?![\p{L}\p{N}])/u;

/** Names of illnesses that are surnames too: not behind a title, with a first name or without, and not in a firm's name. */
const NAMES =
  /(?<!\p{L})(?<!(?:Herrn?|Frau|Fam(?:ilie|\.)|Dr\.?|Prof\.?|Praxis|\p{L}praxis|Mr\.?|Mrs\.?|Ms\.?)(?: (?:med|dent|Dr|Prof)\.){0,2}(?: \p{Lu}[\p{L}.-]{0,20}){0,1} )(?:[Kk]rebs|KREBS|Parkinson|Alzheimer)(?![\p{L}-]| (?:&|und|and) (?:Partner|Kolleg|Partners))/u;

const patterns = [FINDINGS, germanNames, englishNames, CAPITALS, CODE, NAMES];

export const namesIllnessOrTreatment = (line: string): boolean =>
  patterns.some((pattern) => pattern.test(line));
