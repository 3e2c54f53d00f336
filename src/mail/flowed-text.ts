// Text of format=flowed (RFC 3676): lines that end in a space go on in the next one. Read into lines as they were typed.
// Pure.

const SIGNATURE = '-- ';

const quoteDepth = (line: string): number => {
  let depth = 0;
  while (line[depth] === '>') depth += 1;
  return depth;
};

/** `lines` separated by `\n`. `delSp`: the space at the end of a flowed line is not part of the text (§4.1). */
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
    // §4.5: quoted text of another depth is another paragraph, whatever the line before promised.
    if (depth !== -1 && (quoted !== depth || content === SIGNATURE)) end();
    depth = quoted;
    const isFlowed = content.endsWith(' ') && content !== SIGNATURE;
    paragraph += isFlowed && delSp ? content.slice(0, -1) : content;
    if (!isFlowed) end();
  }
  end();
  return out.join('\n');
};
