// Pieces of SQL about the audit, as invariants compare it with what stands.

/** Rows `a` of these actions. */
export const ofActions = (...names: string[]): string =>
  `a.action in (${names.map((name) => `'${name}'`).join(', ')})`

/** The newest row of each merchant among these actions: a decision locks its row first, so that a later one has a higher number. */
export const newestOf = (...names: string[]): string =>
  `(select distinct on (a.merchant_id) a.* from audit a where ${ofActions(...names)} order by a.merchant_id, a.id desc)`

/** The newest row of each subject among these actions. */
export const newestAbout = (...names: string[]): string =>
  `select distinct on (a.merchant_id, a.subject) a.* from audit a where ${ofActions(...names)} order by a.merchant_id, a.subject, a.id desc`

/**
 * Merchants whose row of creation says what they began with. Of those of earlier releases only that is compared which somebody has
 * decided since.
 */
export const BORN = `(select distinct a.merchant_id from audit a where a.action = 'merchant.create' and a.after ? 'kycStatus')`

/** The same, and those of which an upgrade has recorded what stood: what is of a kind that was recorded has a row. */
export const KNOWN = `(select distinct a.merchant_id from audit a where a.action in ('merchant.create', 'upgrade.record') and a.after ? 'kycStatus')`

/** A phone as `maskPhone` shows it in the audit. */
export const maskedPhone = (phone: string): string =>
  `left(${phone}, 4) || repeat('*', greatest(0, length(${phone}) - 7)) || right(${phone}, 3)`

/** A text in which the audit has masked nothing, so that it can be compared. */
export const unmasked = (text: string): string => `coalesce(${text}, '') !~ '\\*\\*\\*|\\.\\.\\.'`
