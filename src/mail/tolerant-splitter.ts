// Splits a message into its parts as mail programs do that read what is not quite RFC 2046. It relies on inner names of mailsplit.
import { type MimeNode, Splitter } from '@zone-eu/mailsplit';

/** Bytes of a line that is compared with a boundary after its padding was removed; a boundary has 70 (RFC 2046 §5.1.1). */
const MAX_BOUNDARY_LINE = 200;
/** Multiparts that the boundary of an outer one may end at once. */
const MAX_UNCLOSED = 8;

/** mailsplit keeps them under names of its own. `compareBoundary` answers 1 for a delimiter and 2 for the last one,
 * `checkBoundary` 1 and 2 for those of the node itself and 3 and 4 for those of the multipart around it. */
interface Splitting {
  node: MimeNode & { readonly _parentBoundary?: Buffer | false };
  compareBoundary(line: Buffer, start: number, boundary: Buffer): 1 | 2 | false;
  checkBoundary(line: Buffer): 1 | 2 | 3 | 4 | false;
}
const splitting = Splitter.prototype as unknown as Splitting;
const PADDED = /[ \t]+(?=\r?\n$)/;
const [TAB, CR, SPACE, DASH] = [0x09, 0x0d, 0x20, 0x2d];

export class TolerantSplitter extends Splitter {
  /** RFC 2046 §5.1.1: white space behind a boundary is none of it. */
  compareBoundary(line: Buffer, start: number, boundary: Buffer): 1 | 2 | false {
    const last = line[line.length - (line.at(-2) === CR ? 3 : 2)];
    const isPadded = line.length <= MAX_BOUNDARY_LINE && (last === SPACE || last === TAB);
    const plain = isPadded ? Buffer.from(line.toString('latin1').replace(PADDED, ''), 'latin1') : line;
    return splitting.compareBoundary.call(this, plain, start, boundary);
  }

  /** RFC 2046 §5.1.2: the boundary of an outer multipart ends all within it. */
  checkBoundary(line: Buffer): 1 | 2 | 3 | 4 | false {
    const own = splitting.checkBoundary.call(this, line);
    if (own !== false || line[0] !== DASH || line[1] !== DASH) return own;
    const self = this as unknown as Splitting;
    let outer = self.node.parentNode as Splitting['node'] | undefined;
    for (let depth = 0; outer && depth < MAX_UNCLOSED; depth += 1) {
      const found = outer._parentBoundary ? this.compareBoundary(line, 0, outer._parentBoundary) : false;
      if (found !== false) {
        self.node = outer;
        return found === 1 ? 3 : 4;
      }
      outer = outer.parentNode as Splitting['node'] | undefined;
    }
    return false;
  }
}
