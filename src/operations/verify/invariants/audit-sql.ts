// SQL about the audit, for invariants that compare it with the present rows.

/** The condition that a row `a` of the audit has one of these actions. */
export const hasAction = (...names: string[]): string => `a.action in (${names.map((name) => `'${name}'`).join(', ')})`

/** The newest row of each merchant among these actions. A decision locks its row first, so a later one has a higher number. */
export const newestByMerchant = (...names: string[]): string =>
  `(select distinct on (a.merchant_id) a.* from audit a where ${hasAction(...names)} order by a.merchant_id, a.id desc)`

/** The newest row of each subject among these actions. */
export const newestBySubject = (...names: string[]): string =>
  `select distinct on (a.merchant_id, a.subject) a.* from audit a where ${hasAction(...names)} order by a.merchant_id, a.subject, a.id desc`

/**
 * Merchants whose row of creation has their first facts. For merchants of earlier releases only facts that were decided since are
 * compared.
 */
export const CREATED_WITH_FACTS = `(select distinct a.merchant_id from audit a where a.action = 'merchant.create' and a.after ? 'kycStatus')`

/**
 * Merchants whose row of creation has their first facts, or whose facts an upgrade has recorded: every recorded kind of fact has a row.
 */
export const MERCHANTS_WITH_FACTS = `(select distinct a.merchant_id from audit a where a.action in ('merchant.create', 'upgrade.record') and a.after ? 'kycStatus')`

/** A phone as `maskPhone` shows it in the audit. */
export const maskedPhoneSql = (phone: string): string =>
  `left(${phone}, 4) || repeat('*', greatest(0, length(${phone}) - 7)) || right(${phone}, 3)`

/** The condition that the audit masked nothing in a text, so that it can be compared. */
export const isUnmasked = (text: string): string => `coalesce(${text}, '') !~ '\\*\\*\\*|\\.\\.\\.'`
