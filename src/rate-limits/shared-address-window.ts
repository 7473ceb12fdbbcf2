import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { type Batch, batch } from '../platform/batch.ts'
import { done, failed, type Outcome } from '../platform/batch-run.ts'
import { call, type Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { count } from '../platform/measures.ts'
import { Refusal } from '../platform/refusal.ts'
import { addressWindow } from './address-window.ts'
import { MINUTE_MS, tooMany } from './limits.ts'
import { addTo, forgetOld, type Shape, shapeOf, takeFrom, type Window, waitForPlace } from './window.ts'
import { readWindow, writeWindow } from './window-text.ts'

type Row = { what: string; address: Buffer; accepted: string }

const MAKE = statement(
  'make address windows',
  `insert into address_windows (what, address, counts_until)
   select what, address, $3 from unnest($1::text[], $2::bytea[]) as n (what, address)
   on conflict do nothing`,
)
const LOCK = statement<Row>(
  'lock address windows',
  `select what, address, accepted from address_windows
   where (what, address) in (select * from unnest($1::text[], $2::bytea[]))
   order by what collate "C", address for no key update`,
)
const WRITE = statement(
  'write address windows',
  `update address_windows w set accepted = n.accepted, counts_until = n.counts_until
   from unnest($1::text[], $2::bytea[], $3::text[], $4::timestamptz[]) as n (what, address, accepted, counts_until)
   where w.what = n.what and w.address = n.address`,
)
const FORGET = statement(
  'forget address windows',
  `delete from address_windows where (what, address) in (
     select what, address from address_windows where counts_until < $1 order by counts_until limit $2
     for update skip locked) returning 1`,
)
const FORGOTTEN_AT_ONCE = 5000
const ROUNDS = 20

/** A sliding window for each client address that all processes share: for what guards money, codes and keys. */
export type SharedAddressWindow = {
  /** Takes a place and says as of when, or throws 429. 0 as limit switches it off. */
  take(address: string, nowMs: number): Promise<number>
  /** Gives back a place that was taken at this time. */
  giveBack(address: string, takenMs: number): Promise<void>
}

/** `back`: the place is given back instead of taken. */
type Ask = { what: string; address: Buffer; shape: Shape; atMs: number; back: boolean }

/** Counts addresses: one transaction for all that asked while the previous one was running. */
export type AddressCounts = Pick<Batch<Ask, number>, 'add' | 'idle'> & {
  /** Drops counts that are too old. Called every ten seconds. */
  forget(now: Date): Promise<void>
}

export function addressCounts(db: Database): AddressCounts {
  const asking = batch<Ask, number>({
    run: (asks) => answerAsks(db, asks),
    laneOf: () => 0,
  })
  return {
    add: asking.add,
    idle: asking.idle,
    forget: async (now) => {
      for (let round = 0; round < ROUNDS; round += 1)
        if ((await db.query(FORGET, [now.toISOString(), FORGOTTEN_AT_ONCE])).length < FORGOTTEN_AT_ONCE)
          return
    },
  }
}

export type SharedAddressWindowOptions = {
  what: string
  limit: number
  windowMs?: number
  /** Called only when a place is taken, because the database may not be connected before. */
  counts(): AddressCounts
  log: Logger
}

/**
 * When the counts of this process alone reach the limit it refuses without asking; otherwise the database decides. While
 * that cannot be asked, this process counts alone (contract.md G5).
 */
export function sharedAddressWindow({
  what,
  limit,
  windowMs = MINUTE_MS,
  counts,
  log,
}: SharedAddressWindowOptions): SharedAddressWindow {
  if (limit === 0) return { take: async (_address, nowMs) => nowMs, giveBack: async () => {} }
  const shape = shapeOf(limit, windowMs)
  const own = addressWindow(limit, windowMs)
  const ask = (address: string, atMs: number, back: boolean) =>
    counts().add({ what, address: digestOf(address), shape, atMs, back })
  return {
    async take(address, nowMs) {
      own.check(address, nowMs)
      try {
        const takenMs = await ask(address, nowMs, false)
        own.add(address, takenMs)
        return takenMs
      } catch (error) {
        if (error instanceof Refusal && error.status === 429) throw error
        count('rate_limiter_uncounted_total')
        log.error({ err: error }, `${what} were counted by this process alone`)
        own.take(address, nowMs)
        return nowMs
      }
    },
    async giveBack(address, takenMs) {
      own.giveBack(address, takenMs)
      await ask(address, takenMs, true).catch((error) =>
        log.error({ err: error }, `${what} count one too many`),
      )
    },
  }
}

const digestOf = (address: string) => createHash('sha256').update(address).digest()
const nameOf = ({ what, address }: Pick<Row, 'what' | 'address'>) => `${what} ${address.toString('hex')}`
const inLockOrder = (a: Ask, b: Ask) =>
  a.what < b.what ? -1 : a.what > b.what ? 1 : Buffer.compare(a.address, b.address)

/** Gives back first: it may be the very places that others want. */
async function answerAsks(db: Database, asks: readonly Ask[]): Promise<Outcome<number>[]> {
  const nowMs = Math.max(...asks.map(({ atMs }) => atMs))
  const places = [...new Map(asks.map((ask) => [nameOf(ask), ask])).values()].sort(inLockOrder)
  const names = [places.map(({ what }) => what), places.map(({ address }) => address)] as const
  return db.transaction(async (tx) => {
    const [, rows] = await tx.send(call(MAKE, ...names, new Date(nowMs).toISOString()), call(LOCK, ...names))
    const windows = new Map(rows.map((row) => [nameOf(row), readWindow(row.accepted)]))
    const windowOf = (ask: Ask) => windows.get(nameOf(ask)) ?? readWindow('')
    for (const ask of places) forgetOld(windowOf(ask), ask.shape, nowMs)
    for (const ask of asks) if (ask.back) takeFrom(windowOf(ask), ask.shape, ask.atMs)
    const outcomes = asks.map((ask) => (ask.back ? done(ask.atMs) : takeOne(windowOf(ask), ask.shape, nowMs)))
    const texts = places.map((ask) => writeWindow(windowOf(ask)))
    const ends = places.map(({ shape }) => new Date(nowMs + 2 * shape.windowMs).toISOString())
    return { value: outcomes, last: [call(WRITE, ...names, texts, ends)] }
  })
}

function takeOne(window: Window, shape: Shape, nowMs: number): Outcome<number> {
  const waitMs = waitForPlace(window, shape, nowMs)
  if (waitMs > 0) return failed(tooMany(waitMs))
  addTo(window, shape, nowMs)
  return done(nowMs)
}
