// Looks at content before it is accepted: the rules of the house at once, the scanners that are configured by asking
// them.
import { type Assessment, assessAlone, type Content } from './assessment.ts';
import { rateContent } from './rate-content.ts';

/** Content with what scanners of whole messages need. */
export interface ScannedContent extends Content {
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly tenantId: string;
  /** The message as it would leave, without signatures; called only where a scanner asks for it. */
  readonly composed: () => Buffer;
}

export interface ContentCheck {
  /** Whether anything beside the rules looks: then `scan` takes its time. */
  readonly scans: () => boolean;
  /** By the rules alone. */
  readonly rate: (content: Content) => Assessment;
  /**
   * Rejects with `unavailable` where a scanner does not answer and content must not pass without it; else a scanner
   * that fails is named in the assessment.
   */
  readonly scan: (content: ScannedContent) => Promise<Assessment>;
}

const rate = (content: Content): Assessment => assessAlone(rateContent(content));

export const createContentCheck = (): ContentCheck => ({
  scans: () => false,
  rate,
  scan: async (content) => rate(content),
});
