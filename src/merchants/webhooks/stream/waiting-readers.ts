import type { OnEnd } from '../../../api/http/waiting-requests.ts'
import { oncePerCell } from '../../../platform/batches/lane.ts'
import { modeColumn, numberColumn } from '../../../platform/db/columns.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { MerchantMode, Mode } from '../../../platform/mode.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { elapsedMs } from '../../../platform/time/clock.ts'
import type { App } from '../../../program/app.ts'

/** A request that waits until its merchant has an event behind `after`. */
type Reader = MerchantMode & { keyId: string; after: number; untilMs: number; wake(): void }

type ReaderInput = Omit<Reader, 'wake'> & { onEnd: OnEnd }

const LOOK_EVERY_MS = 250
const READERS_OF_A_KEY = 2
// Each holds a connection of its client. Whoever comes then is answered at once.
const MAX_READERS = 5000
const RETRY_AFTER_S = 5

type News = { merchantId: number; mode: Mode; sequence: number }

const NEWS = statement<News>(
  'news for waiting readers',
  `select r.merchant_id as "merchantId", r.mode, last.sequence
   from unnest($1::bigint[], $2::mode[]) as r (merchant_id, mode)
   cross join lateral (select s.sequence from event_seals s where s.merchant_id = r.merchant_id and s.mode = r.mode
     order by s.sequence desc limit 1) last`,
)

const readersOfCell = oncePerCell(newWaitingReaders)

/**
 * Resolves when this merchant and mode have an event behind `after`, when the time `untilMs` (of `elapsedMs`) has come, when the client has
 * left, and when the process stops. It holds no connection of the database. Throws 429 where two requests of the key wait already.
 */
export const waitForEvents = (app: App, reader: ReaderInput): Promise<void> => readersOfCell(app).wait(reader)

/** Looks at once whether those who wait in this process have an event: numbers were just given. */
export const wakeReaders = (app: App): void => readersOfCell(app).lookNow()

/** How many requests wait in this process. */
export const countWaitingReaders = (app: App): number => readersOfCell(app).count()

/** One look for all that wait, four times a second, and none while nobody waits. */
function newWaitingReaders(app: App) {
  const readers = new Set<Reader>()
  let timer: NodeJS.Timeout | null = null
  let looking = false

  function wake(news: readonly News[]): void {
    const last = new Map(news.map((lane) => [nameLane(lane), lane.sequence]))
    for (const reader of readers) if ((last.get(nameLane(reader)) ?? 0) > reader.after) reader.wake()
  }

  async function look(): Promise<void> {
    looking = true
    const now = elapsedMs(app.clock)
    for (const reader of readers) if (reader.untilMs <= now) reader.wake()
    // A database that is away is heard of by what each of them reads next.
    await findNews(app, readers).then(wake, () => {
      for (const reader of readers) reader.wake()
    })
    looking = false
    timer = readers.size === 0 ? null : setTimeout(look, LOOK_EVERY_MS)
  }

  return {
    lookNow: () => {
      if (readers.size === 0 || looking) return
      clearTimeout(timer ?? undefined)
      void look()
    },
    count: () => readers.size,
    wait: ({ onEnd, ...reader }: ReaderInput): Promise<void> => {
      const ofKey = [...readers].filter(({ keyId }) => keyId === reader.keyId).length
      if (ofKey >= READERS_OF_A_KEY) throw tooManyReaders()
      if (readers.size >= MAX_READERS) return Promise.resolve()
      return new Promise((resolve) => {
        const one: Reader = { ...reader, wake: end }
        const forget = onEnd(end)
        function end() {
          if (!readers.delete(one)) return
          forget()
          resolve()
        }
        readers.add(one)
        timer ??= setTimeout(look, LOOK_EVERY_MS)
      })
    },
  }
}

async function findNews({ db }: App, readers: ReadonlySet<Reader>) {
  const lanes = [...new Map([...readers].map((reader) => [nameLane(reader), reader])).values()]
  if (lanes.length === 0) return []
  const merchants = numberColumn(lanes.map(({ merchantId }) => merchantId))
  return db.query(NEWS, [merchants, modeColumn(lanes.map(({ mode }) => mode))])
}

const nameLane = ({ merchantId, mode }: MerchantMode) => `${merchantId} ${mode}`

const tooManyReaders = () =>
  new Refusal(429, 'rate_limited', 'two requests of this key wait for events already', {
    retryAfterSeconds: RETRY_AFTER_S,
    hint: 'leave wait out, or let one reader of this key wait and give what it reads to the others',
  })
