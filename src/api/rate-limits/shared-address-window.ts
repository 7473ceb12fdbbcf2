import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { type Batch, newBatch } from '../../platform/batches/batch.ts'
import { type ItemOutcome, itemDone, itemFailed } from '../../platform/batches/batch-run.ts'
import { call, type Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { count } from '../../platform/log/measures.ts'
import { Refusal } from '../../platform/refusal.ts'
import { newAddressWindow } from './address-window.ts'
import { MINUTE_MS, tooManyRequests } from './limits.ts'
import {
  addRequests,
  dropOldCounts,
  makeShape,
  msUntilRoom,
  type RateWindow,
  removeRequests,
  type WindowShape,
} from './window.ts'
import { formatWindow, parseWindow } from './window-text.ts'

type AddressWindowRow = { what: string; address: Buffer; accepted: string }

const MAKE = statement(
  'make address windows',
  `insert into address_windows (what, address, counts_until)
   select what, address, $3 from unnest($1::text[], $2::bytea[]) as n (what, address)
   on conflict do nothing`,
)
const LOCK = statement<AddressWindowRow>(
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
const FORGOTTEN_PER_ROUND = 5000
const MAX_ROUNDS = 20

/** One sliding window for each client address, shared by all processes: for requests that guess at money, codes and keys. */
export type SharedAddressWindow = {
  /** Counts a request and returns the time under which it is counted, in ms. Throws 429. A limit of 0 switches it off. */
  take(address: string, nowMs: number): Promise<number>
  /** Removes a request that was counted at this time. */
  giveBack(address: string, takenMs: number): Promise<void>
}

/** A request to be counted, or with `back` to be removed from the count. */
type AddressCountChange = { what: string; address: Buffer; shape: WindowShape; atMs: number; back: boolean }

/** Counts requests of addresses: one transaction for all that came while the previous one was running. */
export type AddressCounts = Pick<Batch<AddressCountChange, number>, 'add' | 'idle'> & {
  /** Drops counts that are too old. Called every ten seconds. */
  forget(now: Date): Promise<void>
}

export function newAddressCounts(db: Database): AddressCounts {
  const changes = newBatch<AddressCountChange, number>({
    run: (batched) => applyChanges(db, batched),
    keyOf: () => 0,
  })
  return {
    add: changes.add,
    idle: changes.idle,
    forget: async (now) => {
      for (let round = 0; round < MAX_ROUNDS; round += 1)
        if ((await db.query(FORGET, [now.toISOString(), FORGOTTEN_PER_ROUND])).length < FORGOTTEN_PER_ROUND) return
    },
  }
}

type SharedAddressWindowOptions = {
  what: string
  limit: number
  windowMs?: number
  /** Called only when a request is counted, because the database may not be connected before. */
  counts(): AddressCounts
  log: Logger
}

/**
 * Refuses without a round trip when the counts of this process alone reach the limit; otherwise the database decides. While the
 * database is away, this process counts alone (contract.md G5).
 */
export function newSharedAddressWindow({
  what,
  limit,
  windowMs = MINUTE_MS,
  counts,
  log,
}: SharedAddressWindowOptions): SharedAddressWindow {
  if (limit === 0) return { take: async (_address, nowMs) => nowMs, giveBack: async () => {} }
  const shape = makeShape(limit, windowMs)
  const own = newAddressWindow(limit, windowMs)
  const change = (address: string, atMs: number, back: boolean) =>
    counts().add({ what, address: hashAddress(address), shape, atMs, back })
  return {
    async take(address, nowMs) {
      own.check(address, nowMs)
      try {
        const takenMs = await change(address, nowMs, false)
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
      await change(address, takenMs, true).catch((error) => log.error({ err: error }, `${what} count one too many`))
    },
  }
}

const hashAddress = (address: string) => createHash('sha256').update(address).digest()
const windowName = ({ what, address }: Pick<AddressWindowRow, 'what' | 'address'>) =>
  `${what} ${address.toString('hex')}`
const compareForLocking = (a: AddressCountChange, b: AddressCountChange) =>
  a.what < b.what ? -1 : a.what > b.what ? 1 : Buffer.compare(a.address, b.address)

/** Removes requests first, because that may make room for others in the batch. */
async function applyChanges(db: Database, changes: readonly AddressCountChange[]): Promise<ItemOutcome<number>[]> {
  const nowMs = Math.max(...changes.map(({ atMs }) => atMs))
  // One change of each window, for its name and shape.
  const firsts = [...new Map(changes.map((change) => [windowName(change), change])).values()].sort(compareForLocking)
  const names = [firsts.map(({ what }) => what), firsts.map(({ address }) => address)] as const
  return db.transaction(async (tx) => {
    const [, rows] = await tx.send(call(MAKE, ...names, new Date(nowMs).toISOString()), call(LOCK, ...names))
    const windows = new Map(rows.map((row) => [windowName(row), parseWindow(row.accepted)]))
    const windowOf = (change: AddressCountChange) => windows.get(windowName(change)) ?? parseWindow('')
    for (const change of firsts) dropOldCounts(windowOf(change), change.shape, nowMs)
    for (const change of changes) if (change.back) removeRequests(windowOf(change), change.shape, change.atMs)
    const outcomes = changes.map((change) =>
      change.back ? itemDone(change.atMs) : takeOrRefuse(windowOf(change), change.shape, nowMs),
    )
    const texts = firsts.map((change) => formatWindow(windowOf(change)))
    const countUntil = firsts.map(({ shape }) => new Date(nowMs + 2 * shape.windowMs).toISOString())
    return { value: outcomes, last: [call(WRITE, ...names, texts, countUntil)] }
  })
}

function takeOrRefuse(window: RateWindow, shape: WindowShape, nowMs: number): ItemOutcome<number> {
  const waitMs = msUntilRoom(window, shape, nowMs)
  if (waitMs > 0) return itemFailed(tooManyRequests(waitMs))
  addRequests(window, shape, nowMs)
  return itemDone(nowMs)
}
