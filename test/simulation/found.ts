// Seeds that once failed, with what they found in the service. Each was mended, and must hold from then on.

export const foundSeeds: readonly { readonly found: string; readonly args: readonly string[] }[] = [];
