import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'

const FIND_NAME = statement<{ name: string }>('name of merchant', 'select name from merchants where id = $1')
// A changed name shows on phones after this long.
const CACHED_MS = 60_000
const MAX_CACHED_NAMES = 10_000

const caches = new WeakMap<App, Map<number, { name: string; untilMs: number }>>()

/** Reads the merchant's name for its customers. It may be a minute old, so that most payments need no statement for it. */
export async function readMerchantName(app: App, merchantId: number): Promise<string> {
  const names = caches.get(app) ?? new Map<number, { name: string; untilMs: number }>()
  caches.set(app, names)
  const nowMs = app.clock.nowMs()
  const cached = names.get(merchantId)
  if (cached !== undefined && nowMs < cached.untilMs) return cached.name
  const [row] = await app.db.query(FIND_NAME, [merchantId])
  if (names.size >= MAX_CACHED_NAMES) names.clear()
  const name = row?.name ?? ''
  names.set(merchantId, { name, untilMs: nowMs + CACHED_MS })
  return name
}
