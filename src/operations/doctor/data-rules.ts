// What is to be said of the databases: whether each practice has its file, and whether files and ledgers are whole. Facts in, verdicts
// out. Pure.
import { counted, fail, named, ok, type Verdict, warn } from './finding.ts';

export interface FilesFacts {
  readonly tenants: number;
  /** Slugs or ids of those whose file is not there, or is empty. */
  readonly missing: readonly string[];
  /** Directories that the registry does not know. */
  readonly strays: readonly string[];
}

export const filesVerdicts = ({ tenants, missing, strays }: FilesFacts): Verdict[] => {
  const bad: Verdict[] = [];
  if (missing.length > 0)
    bad.push(
      fail(
        `the files of ${counted(missing.length, 'practice')} are missing or empty: ${named(missing)}`,
        `sendwerk restore --tenant ${missing[0]}`,
      ),
    );
  if (strays.length > 0)
    bad.push(
      warn(
        `below data_dir/tenants are directories of no practice, which are not used: ${named(strays)}`,
        'restore the registry and them together (docs/operate/backup.md), or move them away',
      ),
    );
  return bad.length > 0
    ? bad
    : [ok(`each of ${counted(tenants, 'practice')} has its file, and each file is known`)];
};

export interface LookedFacts {
  /** How many files there are, the registry among them. */
  readonly files: number;
  readonly looked: number;
  /** Left out because they are large. */
  readonly large: number;
  readonly faults: readonly { readonly file: string; readonly what: string }[];
}

const partly = ({ files, looked, large }: LookedFacts): string => {
  if (looked === files) return '';
  const why = large === 0 ? 'the time was over' : `the time was over, or they are large (${large})`;
  return `; of ${files.toLocaleString('en')} files the others come another time: ${why}`;
};

const faultText = ({ faults }: LookedFacts): string =>
  named(faults.map(({ file, what }) => `${file}: ${what}`));

export const integrityVerdict = (facts: LookedFacts): Verdict =>
  facts.faults.length > 0
    ? fail(
        `these files are damaged: ${faultText(facts)}`,
        'sendwerk backup verify, then: sendwerk restore --tenant SLUG from a backup that is right; and look at the disk (dmesg, smartctl -a)',
      )
    : ok(`${counted(facts.looked, 'file')} are whole${partly(facts)}`);

export const ledgersVerdict = (facts: LookedFacts): Verdict =>
  facts.faults.length > 0
    ? fail(
        `the consent ledgers of ${counted(facts.faults.length, 'practice')} are not what was written: ${faultText(facts)}`,
        'sendwerk consent verify --practice SLUG --config FILE says where; keep the file, and compare it with a backup before it is restored',
      )
    : ok(
        `the consent ledgers of ${counted(facts.looked, 'practice')} follow from their entries${partly(facts)}`,
      );
