import { createHash } from 'node:crypto'

/**
 * SQL for the text of an audit row that its seal covers, as an expression on `audit a`. It names every column, so that a column
 * added later does not change what was sealed. `details` exists only in the directory, in rows of 1.3.0.
 */
export const SEALED_TEXT_SQL = `jsonb_build_array(a.id, (extract(epoch from a.at) * 1000000)::bigint, a.actor_kind, a.actor, a.origin,
  a.request_id, a.action, a.merchant_id, a.mode, a.subject, a.before, a.after, to_jsonb(a) -> 'details')::text`

/** The hash on which the first seal of a chain builds. */
export const CHAIN_START = Buffer.alloc(32)

/** Computes the hash of a row's seal, over the hash before it and the row's text. */
export const computeSeal = (before: Buffer, text: string): Buffer =>
  createHash('sha256').update(before).update(text).digest()

/** The last seal of a chain. A copy kept elsewhere proves later that nothing before it has changed. */
export type AuditAnchor = { number: number; hash: string }

export const NO_ANCHOR: AuditAnchor = { number: 0, hash: CHAIN_START.toString('hex') }
