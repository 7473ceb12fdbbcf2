import { type Call, call, type Tx } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { lastNine } from '../platform/text/phone.ts'
import type { App } from '../program/app.ts'
import type { PayoutFailure } from './rail.ts'

type Side = 'collect' | 'disburse'

/** How a test payment ends. `outcome` null: as its number says; `afterSeconds` null: after the time of the sandbox. */
export type SandboxEnd = { outcome: PayoutFailure | 'succeeded' | null; afterSeconds: number | null }

/** How the next `remaining` test payments of one side and phone end. */
export type NextEnd = SandboxEnd & { merchantId: number; id: string; side: Side; phone: string; remaining: number }

type NextEndRow = SandboxEnd & { merchantId: number; id: string; side: Side; phone9: string; remaining: number }
type TestPayment = { merchantId: number; id: string; phone: string | null }

/** The ends that tests of some merchants have asked for, locked for one commit. */
export type NextEnds = {
  /** Takes the end of this new payment from the oldest row about its phone; null when there is none. */
  take(side: Side, payment: TestPayment): SandboxEnd | null
  /** Returns the statements that store what was taken. */
  writes(): Call[]
}

export const MAX_NEXT_ENDS = 100
const CHOSEN_PER_PRUNING = 5000
// Longer than a payment can be told to stay open.
const KEPT_MS = 3 * 86_400_000

const LOCK = statement<NextEndRow>(
  'lock next ends',
  `select merchant_id as "merchantId", id, side, phone9, remaining, outcome, after_seconds as "afterSeconds" from next_ends
   where merchant_id = any($1::bigint[]) and expires_at > $2 order by merchant_id, expires_at, id for update`,
)
const USE = statement('use next end', 'update next_ends set remaining = $3 where merchant_id = $1 and id = $2')
const USE_UP = statement('use up next end', 'delete from next_ends where merchant_id = $1 and id = $2')
const CHOOSE = statement(
  'choose end of test payment',
  'insert into chosen_ends (merchant_id, subject, outcome, after_seconds, chosen_at) values ($1, $2, $3, $4, $5)',
)
const ADD = statement(
  'add next end',
  `insert into next_ends (merchant_id, id, side, phone9, remaining, outcome, after_seconds, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)
const FORGET_EXPIRED = statement(
  'forget expired next ends',
  'delete from next_ends where merchant_id = $1 and expires_at <= $2',
)
const COUNT = statement<{ count: number }>(
  'next ends of merchant',
  'select count(*)::int as count from next_ends where merchant_id = $1',
)
const PRUNE = statement<{ subject: string }>(
  'prune chosen ends',
  `delete from chosen_ends where ctid = any(array(select ctid from chosen_ends where chosen_at < $1 limit $2)) returning subject`,
)

export const NO_NEXT_ENDS: NextEnds = { take: () => null, writes: () => [] }

type MerchantOfEnds = { id: number; nextEndsUntil: Date | null }

/** Whether test payments of one of these merchants may have an end that was asked for. */
export function mayHaveNextEnds(merchants: Iterable<MerchantOfEnds>, at: Date): boolean {
  for (const merchant of merchants) if (mayHaveOne(merchant, at)) return true
  return false
}

const mayHaveOne = ({ nextEndsUntil }: MerchantOfEnds, at: Date) => nextEndsUntil !== null && nextEndsUntil > at

/** Locks the ends asked for by those merchants that may have some; sends nothing where none may. Test mode only. */
export async function lockNextEnds(tx: Tx, terms: readonly MerchantOfEnds[], at: Date): Promise<NextEnds> {
  const ids = terms.filter((merchant) => mayHaveOne(merchant, at)).map(({ id }) => id)
  if (ids.length === 0) return NO_NEXT_ENDS
  const [rows] = await tx.send(call(LOCK, ids, at.toISOString()))
  const left = rows.map((row) => ({ ...row }))
  const used = new Set<NextEndRow>()
  const chosen: Call[] = []
  return {
    take(side, { merchantId, id, phone }) {
      const phone9 = phone === null ? null : lastNine(phone)
      const row = left.find(
        (row) => row.remaining > 0 && row.merchantId === merchantId && row.side === side && row.phone9 === phone9,
      )
      if (row === undefined) return null
      row.remaining -= 1
      used.add(row)
      chosen.push(call(CHOOSE, merchantId, id, row.outcome, row.afterSeconds, at.toISOString()))
      return row
    },
    writes: () => [...[...used].map(storeUse), ...chosen],
  }
}

const storeUse = ({ merchantId, id, remaining }: NextEndRow): Call =>
  remaining === 0 ? call(USE_UP, merchantId, id) : call(USE, merchantId, id, remaining)

/** Forgets what has expired and counts what this merchant's tests have asked for. Its row must be locked. */
export async function countNextEnds(tx: Tx, merchantId: number, at: Date): Promise<number> {
  const [, [row]] = await tx.send(call(FORGET_EXPIRED, merchantId, at.toISOString()), call(COUNT, merchantId))
  return row?.count ?? 0
}

/** Stores how the next payments end; it counts until then. */
export const addNextEnd = (end: NextEnd, until: Date): Call =>
  call(
    ADD,
    end.merchantId,
    end.id,
    end.side,
    lastNine(end.phone),
    end.remaining,
    end.outcome,
    end.afterSeconds,
    until.toISOString(),
  )

/** Forgets what was chosen for payments that ended long ago. Returns how many. */
export async function pruneChosenEnds({ db, clock }: Pick<App, 'db' | 'clock'>): Promise<number> {
  const before = new Date(clock.nowMs() - KEPT_MS).toISOString()
  return (await db.query(PRUNE, [before, CHOSEN_PER_PRUNING])).length
}

/** The join that reads, beside a test payment `row`, what was chosen for it. Index: chosen_ends_pkey. */
export const chosenEndSql = (row: string): string =>
  `left join chosen_ends e on e.merchant_id = ${row}.merchant_id and e.subject = ${row}.id`
