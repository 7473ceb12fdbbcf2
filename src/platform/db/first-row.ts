/** The one row that a query by key has found, or null. */
export const firstRow = async <Row>(rows: Promise<readonly Row[]>): Promise<Row | null> =>
  (await rows)[0] ?? null
