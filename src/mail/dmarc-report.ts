// Reads a DMARC aggregate report (RFC 9990, RFC 7489 appendix C) as receivers write them: in any namespace and case of names,
// with elements that are unknown, and without those that say nothing about a mail. What cannot be read of a record leaves that
// record out. Entities other than those of XML itself do not exist here, and a document type declaration is refused. Pure.
//
// htmlparser2 reads in pieces, so that a large report does not occupy the event loop, and seven times as fast as
// fast-xml-parser.
import { Parser } from 'htmlparser2';
import { decodeText } from './decode-text.ts';
import { countOf, hostOf, ReportFault, type ReportHead, reportHead, wordsOf } from './domain-report.ts';

export interface AggregateRecord {
  /** The address that the mails came from, as it is written. */
  readonly source: string;
  readonly mails: number;
  /** What the receiver did with them. */
  readonly disposition: 'none' | 'quarantine' | 'reject';
  /** Whether it passed for the domain in From. */
  readonly dkimPassed: boolean;
  readonly spfPassed: boolean;
  /** Null where it is not said. */
  readonly headerFrom: string | null;
  /** The signatures, whichever domain they are of. */
  readonly signatures: readonly {
    readonly domain: string;
    /** Empty where it is not said. */
    readonly selector: string;
    readonly passed: boolean;
  }[];
  /** The domain of MAIL FROM, or of HELO. */
  readonly spfDomain: string | null;
}

export interface AggregateReport extends ReportHead {
  /** The domain for which the policy was found. */
  readonly domain: string;
  readonly records: readonly AggregateRecord[];
  /** How many records could not be read. */
  readonly unreadable: number;
}

interface Element {
  readonly name: string;
  text: string;
  readonly children: Element[];
}

const MAX_DEPTH = 20;
/** An element has so many besides the records. */
const MAX_CHILDREN = 100;
const MAX_TEXT = 1_000;
const MAX_SIGNATURES = 20;

const childOf = (element: Element | undefined, name: string): Element | undefined =>
  element?.children.find((child) => child.name === name);
const textOf = (element: Element | undefined, name: string): string => wordsOf(childOf(element, name)?.text);
const saysPass = (element: Element | undefined, name: string): boolean =>
  textOf(element, name).toLowerCase() === 'pass';

const dispositionOf = (text: string): AggregateRecord['disposition'] => {
  const name = text.toLowerCase();
  // RFC 9990 calls it `pass` where DMARC passed.
  return name === 'quarantine' || name === 'reject' ? name : 'none';
};

/** Null where it cannot be read. */
const readRecord = (record: Element): AggregateRecord | null => {
  const row = childOf(record, 'row');
  const evaluated = childOf(row, 'policy_evaluated');
  const source = textOf(row, 'source_ip');
  const mails = countOf(textOf(row, 'count'));
  if (source === '' || mails === null || evaluated === undefined) return null;
  const results = childOf(record, 'auth_results');
  return {
    source,
    mails,
    disposition: dispositionOf(textOf(evaluated, 'disposition')),
    dkimPassed: saysPass(evaluated, 'dkim'),
    spfPassed: saysPass(evaluated, 'spf'),
    headerFrom: hostOf(textOf(childOf(record, 'identifiers'), 'header_from')),
    signatures: (results?.children ?? [])
      .filter(({ name }) => name === 'dkim')
      .slice(0, MAX_SIGNATURES)
      .flatMap((dkim) => {
        const domain = hostOf(textOf(dkim, 'domain'));
        if (domain === null) return [];
        return [
          {
            domain,
            selector: textOf(dkim, 'selector').toLowerCase(),
            passed: saysPass(dkim, 'result'),
          },
        ];
      }),
    spfDomain: hostOf(textOf(childOf(results, 'spf'), 'domain')),
  };
};

const readHead = (feedback: Element): ReportHead => {
  const metadata = childOf(feedback, 'report_metadata');
  const range = childOf(metadata, 'date_range');
  return reportHead({
    organisation: textOf(metadata, 'org_name') || textOf(metadata, 'email').replace(/^.*@/, ''),
    reportId: textOf(metadata, 'report_id'),
    begin: textOf(range, 'begin'),
    end: textOf(range, 'end'),
  });
};

const UTF16_MARKS = { 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] } as const;

/** The text of an XML document. Only a mark says that it is UTF-16: some programs write that name into documents in UTF-8. */
export const xmlText = (bytes: Buffer): string => {
  for (const [label, mark] of Object.entries(UTF16_MARKS))
    if (bytes[0] === mark[0] && bytes[1] === mark[1]) return new TextDecoder(label).decode(bytes);
  const declared = /^[^>]{0,100}?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(
    bytes.subarray(0, 200).toString('latin1'),
  )?.[1];
  return decodeText(bytes, declared && !/^utf-?16/i.test(declared) ? declared : 'utf-8').replace(
    /^\uFEFF/,
    '',
  );
};

export interface AggregateReader {
  /** @throws ReportFault */
  write(text: string): void;
  /** @throws ReportFault */
  end(): AggregateReport;
}

/** Takes the document in pieces. */
export const createAggregateReader = (): AggregateReader => {
  const root: Element = { name: '', text: '', children: [] };
  const open: Element[] = [root];
  const records: AggregateRecord[] = [];
  let unreadable = 0;
  const parser = new Parser(
    {
      onopentagname: (given) => {
        if (open.length > MAX_DEPTH) throw new ReportFault('damaged', 'Its elements are nested too deeply.');
        const name = given.slice(given.indexOf(':') + 1);
        if (open.length === 1 && name !== 'feedback')
          throw new ReportFault('no_report', 'The document is no aggregate report.');
        open.push({ name, text: '', children: [] });
      },
      ontext: (text) => {
        const element = open.at(-1);
        if (element && element.text.length < MAX_TEXT) element.text += text.slice(0, MAX_TEXT);
      },
      onclosetag: () => {
        const element = open.pop();
        const parent = open.at(-1);
        if (element === undefined || parent === undefined) return;
        if (element.name === 'record' && open.length === 2) {
          const record = readRecord(element);
          if (record) records.push(record);
          else unreadable += 1;
        } else if (parent.children.length < MAX_CHILDREN) parent.children.push(element);
      },
      onprocessinginstruction: (name) => {
        if (name === '!doctype')
          throw new ReportFault('forbidden', 'It has a document type declaration, which no report needs.');
      },
    },
    { xmlMode: true, lowerCaseTags: true },
  );
  return {
    write: (text) => parser.write(text),
    end: () => {
      const feedback = childOf(root, 'feedback');
      if (feedback === undefined) throw new ReportFault('damaged', 'The document ends too early.');
      const head = readHead(feedback);
      const domain =
        hostOf(textOf(childOf(feedback, 'policy_published'), 'domain')) ?? records[0]?.headerFrom ?? null;
      if (domain === null) throw new ReportFault('incomplete', 'It does not say which domain it is about.');
      if (records.length === 0 && unreadable > 0)
        throw new ReportFault('incomplete', 'None of its records says where how many mails came from.');
      return { ...head, domain, records, unreadable };
    },
  };
};
