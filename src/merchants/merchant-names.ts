import type { App } from '../app.ts'
import { statement } from '../platform/db/statement.ts'

const NAME = statement<{ name: string }>('name of merchant', 'select name from merchants where id = $1')
// A new name shows on phones after this long.
const KEPT_MS = 60_000
const MOST_KEPT = 10_000

const kept = new WeakMap<App, Map<number, { name: string; untilMs: number }>>()

/** The merchant's name as its customers know it; at most a minute old, so that a payment costs no question for it. */
export async function nameOfMerchant(app: App, merchantId: number): Promise<string> {
  const names = kept.get(app) ?? new Map<number, { name: string; untilMs: number }>()
  kept.set(app, names)
  const nowMs = app.clock.nowMs()
  const known = names.get(merchantId)
  if (known !== undefined && nowMs < known.untilMs) return known.name
  const [row] = await app.db.query(NAME, [merchantId])
  if (names.size >= MOST_KEPT) names.clear()
  const name = row?.name ?? ''
  names.set(merchantId, { name, untilMs: nowMs + KEPT_MS })
  return name
}
