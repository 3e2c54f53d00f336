// A row of a matrix is one test, which names the cells that fail.

/** Runs `check` for one cell after the other; throws with the name and the complaint of each cell that failed. */
export const checkCells = async <Cell>(
  cells: readonly Cell[],
  nameOf: (cell: Cell) => string,
  check: (cell: Cell) => Promise<void>,
): Promise<void> => {
  const failures: string[] = [];
  for (const cell of cells) {
    await check(cell).catch((error: unknown) => failures.push(`${nameOf(cell)}: ${error}`));
  }
  if (failures.length > 0)
    throw new Error(`${failures.length} of ${cells.length} cells failed:\n${failures.join('\n')}`);
};
