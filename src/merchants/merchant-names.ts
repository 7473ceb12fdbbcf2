import type { App } from '../app.ts'
import { statement } from '../platform/db/statement.ts'

const NAME = statement<{ name: string }>('name of merchant', 'select name from merchants where id = $1')
// A changed name shows on phones after this long.
const KEPT_MS = 60_000
const MOST_KEPT = 10_000

const kept = new WeakMap<App, Map<number, { name: string; untilMs: number }>>()

/** Reads the merchant's name for its customers. It may be a minute old, so that most payments need no statement for it. */
export async function nameOfMerchant(app: App, merchantId: number): Promise<string> {
  const names = kept.get(app) ?? new Map<number, { name: string; untilMs: number }>()
  kept.set(app, names)
  const nowMs = app.clock.nowMs()
  const cached = names.get(merchantId)
  if (cached !== undefined && nowMs < cached.untilMs) return cached.name
  const [row] = await app.db.query(NAME, [merchantId])
  if (names.size >= MOST_KEPT) names.clear()
  const name = row?.name ?? ''
  names.set(merchantId, { name, untilMs: nowMs + KEPT_MS })
  return name
}
