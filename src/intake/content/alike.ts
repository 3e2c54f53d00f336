// What scanners said of one message holds for others made of the same template: the rules look at each, the scanners at
// the first. Pure.
import { type Assessment, combine, SCANNER_FINDINGS, type ScannerReport } from './assessment.ts';

/** `own`: by what needs no waiting. `first`: what was said of the one that was scanned. */
export const assessAlike = (own: Assessment, first: ScannerReport): Assessment => {
  const { promotional, promotionalScore } = own;
  const findings = own.findings.filter(({ id }) => !SCANNER_FINDINGS.has(id));
  const listed = new Map(
    [...first.links.listed, ...(own.scanner?.links.listed ?? [])].map((listing) => [
      `${listing.host} ${listing.list}`,
      listing,
    ]),
  );
  const report = { ...first, links: { ...first.links, listed: [...listed.values()] } };
  return combine({ findings, promotional, promotionalScore, linkHosts: [] }, report);
};
