import { randomBytes } from 'node:crypto'
import { statement } from '../platform/db/statement.ts'
import { groupBy } from '../platform/group-by.ts'
import { type AlertKind, pageOf, paragraphOf, toDoOf } from './alert.ts'
import { recordLook } from './raise-alerts.ts'
import { type Message, type Sent, type Speaking, sendByAllWays } from './ways.ts'

type Claimed = {
  id: number
  kind: AlertKind
  subject: string
  says: string
  size: number
  since: Date
  times: number
  toTell: 'opened' | 'worse' | 'closed'
  newsAt: Date | null
}
/** The parts needed to send alerts. */
export type Telling = Speaking

// One message a kind in this time; what comes meanwhile goes into the next one together (reliability.md 11.3).
const QUIET_MS = 10 * 60_000
const LEASE_MS = 60_000
const MOST_AT_ONCE = 200
const MOST_LINES = 20

// The inner rows are locked, so that only one of two processes sends; a kind is quiet while any of its rows was sent
// recently.
const CLAIM = statement<Claimed>(
  'claim alerts to tell',
  `with due as (
     select id from alerts a where to_tell is not null and (telling_until is null or telling_until <= $1)
       and not exists (select 1 from alerts b where b.kind = a.kind and b.told_at > $2)
       and not exists (select 1 from alerts b where b.kind = a.kind and b.telling_until > $1)
     order by id limit $5 for update skip locked)
   update alerts a set telling = $3, telling_until = $4 from due where a.id = due.id
   returning a.id, a.kind, a.subject, a.says, a.size, a.since, a.times, a.to_tell as "toTell", a.news_at as "newsAt"`,
)
const TOLD = statement(
  'alerts were told',
  `update alerts a set told_at = $2, told_size = size, telling = null, telling_until = null,
     to_tell = case when to_tell = n.told and a.news_at is not distinct from n.news_at then null else to_tell end
   from unnest($3::bigint[], $4::text[], $5::timestamptz[]) as n (of_id, told, news_at) where a.id = n.of_id and a.telling = $1`,
)

/**
 * Sends due alerts to the log, and by every way there is: ALERT_WEBHOOK and mail. What neither of them took is tried again in a minute.
 * Never throws for what a receiver or a mail server does.
 */
export async function sendAlerts(telling: Telling): Promise<number> {
  // By a clock that is ahead a kind would be quiet for as long as it is wrong.
  const now = telling.witness.earlier()
  const token = randomBytes(9).toString('hex')
  const after = (ms: number) => new Date(now.getTime() + ms).toISOString()
  const claimed = await telling.directory.query(CLAIM, [
    now.toISOString(),
    after(-QUIET_MS),
    token,
    after(LEASE_MS),
    MOST_AT_ONCE,
  ])
  const byKind = groupBy(claimed, ({ kind }) => kind)
  for (const [kind, alerts] of byKind) {
    telling.log.error({ alert: kind, alerts: alerts.slice(0, MOST_LINES).map(describe) }, 'alert')
    const sent = await sendByAllWays(telling, messageOf(telling, kind, alerts))
    await tellOfWays(telling, sent)
    if (sent.ways.length > 0 && sent.failed.length === sent.ways.length) continue
    await telling.directory.query(TOLD, [
      token,
      telling.witness.earlier().toISOString(),
      alerts.map(({ id }) => id),
      alerts.map(({ toTell }) => toTell),
      alerts.map(({ newsAt }) => newsAt?.toISOString() ?? null),
    ])
  }
  return claimed.length
}

/** A way that fails while the other one works is a condition of its own, which leaves by the other; it is over when both work. */
async function tellOfWays({ directory, clock }: Telling, { ways, failed }: Sent): Promise<void> {
  if (ways.length < 2 || failed.length === ways.length) return
  const at = clock.now()
  const found = failed.map(({ way, why }) => ({
    kind: 'alert_way' as const,
    subject: way,
    says: `${way} did not take an alert: ${why}`,
    size: 1,
    since: at,
  }))
  await recordLook(directory, { place: 'ways', kinds: ['alert_way'], found, at })
}

/** `text` is for receivers that show a line of text to people, as chat programs do, and for mails. */
function messageOf({ baseUrl }: Telling, kind: AlertKind, alerts: readonly Claimed[]): Message {
  const told = alerts.slice(0, MOST_LINES).map((alert) => `${WORDS[alert.toTell]}: ${alert.says}`)
  const rest = alerts.length - told.length
  const page = `${baseUrl}${pageOf(kind)}`
  const paragraph = `${baseUrl}${paragraphOf(kind)}`
  const first = alerts[0]?.toTell ?? 'opened'
  return {
    subject: `${WORDS[first]}: ${kind} (${new URL(baseUrl).host})`,
    json: {
      kind,
      service: baseUrl,
      to_do: toDoOf(kind),
      page,
      paragraph,
      alerts: alerts.slice(0, MOST_LINES).map(describe),
      more: rest,
    },
    text: [
      `${kind} (${baseUrl})`,
      ...told,
      ...(rest > 0 ? [`and ${rest} more`] : []),
      toDoOf(kind),
      page,
      paragraph,
    ].join('\n'),
  }
}

const WORDS = { opened: 'NEW', worse: 'WORSE', closed: 'OVER' } as const

const describe = ({ subject, says, size, since, times, toTell }: Claimed) => ({
  subject,
  state: toTell,
  says,
  size,
  since: since.toISOString(),
  seen: times,
})
