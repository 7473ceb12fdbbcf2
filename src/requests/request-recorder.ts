import type { App } from '../app.ts'
import type { NotedRequest } from '../http/frame.ts'
import { type KeyUse, keyUses } from '../merchants/key-uses.ts'
import { columnsOf } from '../platform/db/columns.ts'
import { call } from '../platform/db/database.ts'
import { DatabaseAway } from '../platform/db/errors.ts'
import { statement } from '../platform/db/statement.ts'
import { isTaken } from '../platform/db/taken.ts'
import { type RequestRow, rowOf } from './request-row.ts'

/** Keeps the requests of one process until they are written: once a second, apart from the answers. */
export type RequestRecorder = {
  /** Takes a request in memory. It never waits; when there is no room it is counted as dropped. */
  note(request: NotedRequest): void
  /** Writes what was noted. Never throws: what could not be written waits for the next time. */
  flush(): Promise<void>
  /** How many found no room since the start. */
  dropped(): number
}

/** Some seconds of a busy process, about 10 MB. */
const MOST_WAITING = 20_000
const WRITTEN_AT_ONCE = 1000

const ADD = statement(
  'add requests to the log',
  `insert into request_log (merchant_id, mode, id, request_id, method, route, status, code, ms, key_outcome, error, key_last4,
     object_id)
   select * from unnest($1::bigint[], $2::mode[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::smallint[],
     $8::text[], $9::real[], $10::text[], $11::text[], $12::text[], $13::text[])`,
)

type Waiting = { noted: NotedRequest; atMs: number }

export function requestRecorder(
  { clock, log }: Pick<App, 'clock' | 'log'>,
  appOf: (place: { cell: string }) => App,
): RequestRecorder {
  let waiting: Waiting[] = []
  let dropped = 0
  const uses = keyUses()

  async function write(batch: readonly Waiting[]): Promise<void> {
    for (const [cell, own] of byCell(batch)) {
      const app = appOf({ cell })
      const add = () => app.db.query(ADD, addOf(own.map(({ noted, atMs }) => rowOf(noted, atMs))))
      // Two processes may draw one id for two requests of a millisecond: then both are drawn again.
      await add().catch((error) => {
        if (!isTaken(error)) throw error
        return add()
      })
      await uses.write(app, own.map(useOf))
    }
  }

  return {
    note(noted) {
      if (waiting.length < MOST_WAITING) waiting.push({ noted, atMs: clock.nowMs() })
      else dropped += 1
    },
    async flush() {
      const taken = waiting
      waiting = []
      for (let from = 0; from < taken.length; from += WRITTEN_AT_ONCE)
        try {
          await write(taken.slice(from, from + WRITTEN_AT_ONCE))
        } catch (error) {
          if (!(error instanceof DatabaseAway)) {
            log.error({ err: error }, 'requests could not be written to their log')
            dropped += Math.min(WRITTEN_AT_ONCE, taken.length - from)
            continue
          }
          const left = [...taken.slice(from), ...waiting]
          dropped += Math.max(0, left.length - MOST_WAITING)
          waiting = left.slice(0, MOST_WAITING)
          return
        }
    },
    dropped: () => dropped,
  }
}

const useOf = ({ noted: { caller }, atMs }: Waiting): KeyUse => ({
  merchantId: caller.merchantId,
  keyId: caller.keyId,
  atMs,
})

function byCell(batch: readonly Waiting[]): Map<string, Waiting[]> {
  const cells = new Map<string, Waiting[]>()
  for (const one of batch) {
    const own = cells.get(one.noted.caller.cell)
    if (own === undefined) cells.set(one.noted.caller.cell, [one])
    else own.push(one)
  }
  return cells
}

function addOf(rows: readonly RequestRow[]): unknown[] {
  const each = columnsOf(rows)
  return call(
    ADD,
    ...each.numbers('merchantId'),
    ...each.words('mode', 'id', 'requestId', 'method', 'route'),
    ...each.numbers('status'),
    ...each.words('code'),
    ...each.numbers('ms'),
    ...each.words('keyOutcome'),
    ...each.values('error'),
    ...each.words('keyLast4', 'objectId'),
  ).values
}
