import type { Logger } from 'pino'
import { ELSEWHERE } from '../../api/http/admission/refuse-elsewhere.ts'
import type { AnsweredRequest } from '../../api/http/frame.ts'
import type { Database } from '../../platform/db/database.ts'
import { DatabaseAway } from '../../platform/db/errors.ts'
import { isUniqueViolation } from '../../platform/db/unique-violation.ts'
import { bigint, copyInto, largeBigint, mode, real, smallint, text } from '../../platform/db/wire/copy.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type ApiKeyUse, keyUses } from '../account/key-uses.ts'
import { newRequestRow, type RequestRow } from './request-row.ts'

/** Holds the requests of one process in memory and writes them once a second, so that no answer waits for its log row. */
export type RequestRecorder = {
  /** Takes a request into memory, and never waits; when there is no room the request is dropped and counted. */
  note(request: AnsweredRequest): void
  /** Writes the noted requests. Never throws: while the database is away they wait for the next flush. */
  flush(): Promise<void>
  /** How many requests were dropped since the start. */
  dropped(): number
}

/** Some seconds of requests of a busy process, about 10 MB. */
const MAX_QUEUED_REQUESTS = 20_000
// While a cell is away, requests of the others must find room.
const MAX_QUEUED_OF_AWAY = MAX_QUEUED_REQUESTS / 2
const ROWS_PER_COPY = 1000

const REQUESTS = copyInto<RequestRow>('add requests to the log', 'request_log', {
  merchant_id: bigint((requestRow) => requestRow.merchantId),
  mode: mode((requestRow) => requestRow.mode),
  id: largeBigint((requestRow) => requestRow.id),
  request_id: text((requestRow) => requestRow.requestId),
  method: text((requestRow) => requestRow.method),
  route: text((requestRow) => requestRow.route),
  status: smallint((requestRow) => requestRow.status),
  code: text((requestRow) => requestRow.code),
  ms: real((requestRow) => requestRow.ms),
  key_outcome: text((requestRow) => requestRow.keyOutcome),
  error: text((requestRow) => requestRow.error),
  key_last4: text((requestRow) => requestRow.keyLast4),
  object_id: text((requestRow) => requestRow.objectId),
  ignored: text((requestRow) => requestRow.ignored),
})

type QueuedRequest = { noted: AnsweredRequest; atMs: number }

export function requestRecorder(
  { clock, log }: { clock: Clock; log: Pick<Logger, 'error'> },
  appOf: (merchant: { cell: string }) => { db: Database },
): RequestRecorder {
  let waiting: QueuedRequest[] = []
  let dropped = 0
  const uses = keyUses()
  const seen = new Set<string>()

  async function write(app: { db: Database }, own: readonly QueuedRequest[]): Promise<void> {
    const add = () => app.db.queries(...REQUESTS.rows(own.map(toRow)))
    // Two processes may draw the same id in one millisecond: then the rows are made again with new ids.
    await add().catch((error) => {
      if (!isUniqueViolation(error)) throw error
      return add()
    })
    await uses.write(app, own.filter(({ noted }) => noted.code !== ELSEWHERE.code).map(toApiKeyUse))
  }

  /** Writes the requests of one cell. Returns those that must wait, because its database is away. */
  async function writeCell(cell: string, own: readonly QueuedRequest[]): Promise<readonly QueuedRequest[]> {
    for (let from = 0; from < own.length; from += ROWS_PER_COPY)
      try {
        await write(appOf({ cell }), own.slice(from, from + ROWS_PER_COPY))
      } catch (error) {
        if (error instanceof DatabaseAway) return own.slice(from)
        log.error({ err: error }, 'requests could not be written to their log')
        dropped += Math.min(ROWS_PER_COPY, own.length - from)
      }
    return []
  }

  return {
    note(noted) {
      if (waiting.length < MAX_QUEUED_REQUESTS) waiting.push({ noted, atMs: clock.nowMs() })
      else dropped += 1
    },
    async flush() {
      const batch = waiting
      waiting = []
      // Side by side: a cell that is silent must not hold up the others.
      const byCell = groupByCell(batch)
      for (const cell of byCell.keys()) seen.add(cell)
      const unwritten = (await Promise.all([...byCell].map(([cell, own]) => writeCell(cell, own)))).flat()
      const kept = unwritten.slice(0, seen.size > 1 ? MAX_QUEUED_OF_AWAY : MAX_QUEUED_REQUESTS)
      const all = [...kept, ...waiting]
      waiting = all.slice(0, MAX_QUEUED_REQUESTS)
      dropped += unwritten.length - kept.length + all.length - waiting.length
    },
    dropped: () => dropped,
  }
}

const toRow = ({ noted, atMs }: QueuedRequest): RequestRow => newRequestRow(noted, atMs)

const toApiKeyUse = ({ noted: { caller }, atMs }: QueuedRequest): ApiKeyUse => ({
  merchantId: caller.merchantId,
  keyId: caller.keyId,
  from: caller.origin,
  atMs,
})

function groupByCell(batch: readonly QueuedRequest[]): Map<string, QueuedRequest[]> {
  const cells = new Map<string, QueuedRequest[]>()
  for (const request of batch) {
    const { cell } = request.noted.caller
    const own = cells.get(cell)
    if (own === undefined) cells.set(cell, [request])
    else own.push(request)
  }
  return cells
}
