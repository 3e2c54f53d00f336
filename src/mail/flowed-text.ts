// Joins the lines of format=flowed text (RFC 3676), where a line that ends in a space continues in the next one. Pure.

const SIGNATURE = '-- ';

const quoteDepth = (line: string): number => {
  let depth = 0;
  while (line[depth] === '>') depth += 1;
  return depth;
};

/** Lines are separated by `\n`. With `delSp` the space at the end of a flowed line is not part of the text (§4.1). */
export const unflow = (text: string, delSp: boolean): string => {
  const out: string[] = [];
  let paragraph = '';
  let depth = -1;
  const end = (): void => {
    if (depth === -1) return;
    out.push(depth === 0 ? paragraph : `${'>'.repeat(depth)}${paragraph === '' ? '' : ` ${paragraph}`}`);
    paragraph = '';
    depth = -1;
  };
  for (const line of text.split('\n')) {
    const quoted = quoteDepth(line);
    const stuffed = line.slice(quoted);
    const content = stuffed.startsWith(' ') ? stuffed.slice(1) : stuffed;
    // §4.5: quoted text of another depth is another paragraph, even if the line before ends in a space.
    if (depth !== -1 && (quoted !== depth || content === SIGNATURE)) end();
    depth = quoted;
    const isFlowed = content.endsWith(' ') && content !== SIGNATURE;
    paragraph += isFlowed && delSp ? content.slice(0, -1) : content;
    if (!isFlowed) end();
  }
  end();
  return out.join('\n');
};
