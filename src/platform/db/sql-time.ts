const YEAR_1 = -62_135_596_800_000
const YEAR_10000 = 253_402_300_800_000

/** Formats a time for SQL. A time outside the years that can be written becomes `-infinity` or `infinity`. */
export function formatSqlTime(at: Date): string {
  if (at.getTime() < YEAR_1) return '-infinity'
  return at.getTime() >= YEAR_10000 ? 'infinity' : at.toISOString()
}
