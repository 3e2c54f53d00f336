// The body of an answer to our own request: whole where it is short, and no more of it is read otherwise.

/** Null if it is longer than `most` bytes. */
export const readShort = async (response: Response, most: number): Promise<string | null> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > most) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};
