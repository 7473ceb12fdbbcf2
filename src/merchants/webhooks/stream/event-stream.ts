import type { Caller, KeyCaller } from '../../../api/access/actor.ts'
import { unauthorized } from '../../../api/http/guards.ts'
import { parseListChoices } from '../../../api/http/lists/list-choices.ts'
import { invalidCursor, type ListQuery, parseLimit } from '../../../api/http/lists/lists.ts'
import type { OnEnd } from '../../../api/http/waiting-requests.ts'
import { textColumn } from '../../../platform/db/columns.ts'
import { statement } from '../../../platform/db/statement.ts'
import { badRequest, notFound, Refusal } from '../../../platform/refusal.ts'
import { parseTag } from '../../../platform/text/ids.ts'
import { addMs, elapsedMs } from '../../../platform/time/clock.ts'
import type { App } from '../../../program/app.ts'
import { keyWorks } from '../../account/key-works.ts'
import { EVENT_TYPES } from '../events.ts'
import { waitForEvents } from './waiting-readers.ts'

/** `after`: the number behind which to read; null: from the first that is kept. `events`: only these; null: all. */
type StreamQuery = {
  after: number | typeof LATEST | null
  limit: number
  waitMs: number
  events: readonly string[] | null
}

/** An event with its number; null where it has none yet, or is older than the numbers. `body`: its envelope as it is sent. */
export type NumberedEvent = { sequence: number | null; body: string }

/** `end`: the number behind which to read on. `hasMore`: whether there is more now. */
export type StreamPage = { data: readonly NumberedEvent[]; end: number; hasMore: boolean }

type StreamRow = { sequence: number | null; body: string | null; next: Date | null; head: number }

export const MAX_WAIT_SECONDS = 25
/** As a cursor: behind the last event that has a number now. No cursor of a page is a word. */
export const LATEST = 'latest'
const KEPT_MS = 30 * 86_400_000
// A filter that few events pass looks at so many for one page, and says where to go on.
const LOOKED_AT_ONCE = 10_000

// Numbers are read by their index; bodies only of the page. One statement, so that what it says of the end is of the same moment.
const pageStatement = (name: string, filter: string) =>
  statement<StreamRow>(
    name,
    `select s.sequence, e.body, h.next, h.head from (
       select coalesce((select max(l.sequence) from event_seals l where l.merchant_id = $1 and l.mode = $2), 0) as head,
         (select f.sealed_at from event_seals f where f.merchant_id = $1 and f.mode = $2 and f.sequence = $3::bigint + 1) as next) h
     left join lateral (
       select n.sequence, n.event_id from event_seals n
       where n.merchant_id = $1 and n.mode = $2 and n.sequence > $3::bigint and n.sequence <= $3::bigint + ${LOOKED_AT_ONCE} ${filter}
       order by n.sequence limit $4) s on true
     left join events e on e.id = s.event_id and e.merchant_id = $1
     order by s.sequence`,
  )
const PAGE = pageStatement('page of numbered events', '')
const PAGE_OF_SOME = pageStatement('page of some numbered events', 'and n.event = any($5::text[])')

// Numbers and the times at which they were given ascend together: halves the numbers until the first one that is kept is found.
const FIRST_KEPT = statement<{ first: number | null }>(
  'first numbered event that is kept',
  `with recursive halves (low, high) as (
     select 1::bigint, coalesce((select max(s.sequence) from event_seals s where s.merchant_id = $1 and s.mode = $2), 0) + 1
     union all
     select case when t.old then t.middle + 1 else h.low end, case when t.old then h.high else t.middle end
     from halves h cross join lateral (
       select s.sequence as middle, s.sealed_at < $3::timestamptz as old from event_seals s
       where s.merchant_id = $1 and s.mode = $2 and s.sequence = (h.low + h.high) / 2) t
     where h.low < h.high)
   select max(low) as first from halves`,
)
const LAST_NUMBER = statement<{ last: number }>(
  'last number of an event',
  'select coalesce(max(s.sequence), 0) as last from event_seals s where s.merchant_id = $1 and s.mode = $2',
)
const BY_ID = statement<NumberedEvent>(
  'numbered event by id',
  `select s.sequence, e.body from events e left join event_seals s on s.event_id = e.id and s.merchant_id = e.merchant_id
   where e.merchant_id = $1 and e.id = $2 and e.mode = $3 and e.created_at >= $4`,
)

/** Parses the query of a pull. Throws 400. */
export function parseStreamQuery(query: ListQuery): StreamQuery {
  const limit = parseLimit(query.limit)
  const waitMs = parseWait(query.wait) * 1000
  const names = parseListChoices('event', query.event, EVENT_TYPES)?.split(',') ?? null
  return { after: parseCursor(query.starting_after), limit, waitMs, events: names }
}

function parseWait(text: string | undefined): number {
  if (text === undefined) return 0
  if (!/^[0-9]{1,2}$/.test(text) || Number(text) > MAX_WAIT_SECONDS)
    throw badRequest(`wait must be an integer between 0 and ${MAX_WAIT_SECONDS}`, { field: 'wait' })
  return Number(text)
}

function parseCursor(text: string | undefined): StreamQuery['after'] {
  if (text === undefined) return null
  if (text === LATEST) return LATEST
  if (!/^(?:0|[1-9][0-9]{0,14})$/.test(text)) throw invalidCursor()
  return Number(text)
}

/**
 * Reads the caller's events in its mode behind a number, oldest first. Where there are none, waits for one as long as the query says. Throws
 * 400 for a number that was not given yet, 410 for one behind which events are no longer kept, 429 where the key waits twice already.
 */
export async function pullEvents(
  app: App,
  caller: KeyCaller,
  { waitMs, onEnd, ...query }: StreamQuery & { onEnd: OnEnd },
): Promise<StreamPage> {
  const { merchantId, mode, keyId } = caller
  const untilMs = elapsedMs(app.clock) + waitMs
  let hasLeft = false
  const forget = onEnd(() => {
    hasLeft = true
  })
  try {
    let page = await readFirstPage(app, caller, query)
    // Whoever did not ask to wait never does, whatever the clock says.
    while (waitMs > 0 && page.data.length === 0 && !page.hasMore && !hasLeft && elapsedMs(app.clock) < untilMs) {
      await waitForEvents(app, { merchantId, mode, keyId, after: page.end, untilMs, onEnd })
      // Its key may have been revoked meanwhile, or bound to other addresses.
      if (!(await keyWorks(app, caller))) throw unauthorized('invalid api key')
      page = await readPage(app, caller, { ...query, after: page.end })
    }
    return page
  } finally {
    forget()
  }
}

/** Behind the last number there is nothing, so that page is no read of its own: an event that comes meanwhile would be behind its end. */
async function readFirstPage(
  app: App,
  caller: Caller,
  query: Pick<StreamQuery, 'after' | 'limit' | 'events'>,
): Promise<StreamPage> {
  if (query.after === LATEST) return { data: [], end: await findLastNumber(app, caller), hasMore: false }
  return readPage(app, caller, { ...query, after: query.after ?? (await findFirstKept(app, caller)) - 1 })
}

async function findLastNumber(app: App, { merchantId, mode }: Caller): Promise<number> {
  const [row] = await app.db.query(LAST_NUMBER, [merchantId, mode])
  return row?.last ?? 0
}

async function readPage(
  app: App,
  caller: Caller,
  { after, limit, events }: Pick<StreamQuery, 'limit' | 'events'> & { after: number },
): Promise<StreamPage> {
  const values = [caller.merchantId, caller.mode, after, limit]
  const rows = await (events === null
    ? app.db.query(PAGE, values)
    : app.db.query(PAGE_OF_SOME, [...values, textColumn(events)]))
  const { head = 0, next = null } = rows[0] ?? {}
  if (after > head) throw invalidCursor()
  if (next !== null && next < keptSince(app)) throw await buildExpired(app, caller)
  const data = rows.flatMap(({ sequence, body }) => (body === null ? [] : [{ sequence, body }]))
  const full = data.length === limit ? data.at(-1)?.sequence : null
  const end = full ?? Math.min(head, after + LOOKED_AT_ONCE)
  return { data, end, hasMore: end < head }
}

const keptSince = ({ clock }: App) => addMs(clock.now(), -KEPT_MS)

/** The number of the first event that is kept; the next one to be given where there is none. */
async function findFirstKept(app: App, { merchantId, mode }: Caller): Promise<number> {
  const [row] = await app.db.query(FIRST_KEPT, [merchantId, mode, keptSince(app).toISOString()])
  return row?.first ?? 1
}

async function buildExpired(app: App, caller: Caller): Promise<Refusal> {
  const first = await findFirstKept(app, caller)
  return new Refusal(
    410,
    'cursor_expired',
    `events are kept 30 days: the first one that is left has sequence ${first}`,
    {
      hint: `go on with starting_after=${first - 1}; what you missed is in the lists of charges and payouts`,
      field: 'starting_after',
    },
  )
}

/** Finds one of the caller's events in its mode. Throws 404. */
export async function getEvent(app: App, caller: Caller, id: string): Promise<NumberedEvent> {
  const own = parseTag('evt_', id) === caller.tag
  const values = [caller.merchantId, id, caller.mode, keptSince(app).toISOString()]
  const [event] = own ? await app.db.query(BY_ID, values) : []
  if (!event) throw notFound('event')
  return event
}
