/** Returns the one row of a query by key, or null. */
export const firstRow = async <Row>(rows: Promise<readonly Row[]>): Promise<Row | null> => (await rows)[0] ?? null
