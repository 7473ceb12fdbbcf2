import { randomBytes } from 'node:crypto'
import type { Gateway } from '../app.ts'
import { assertOutsideTransaction } from '../platform/db/open-transaction.ts'
import { statement } from '../platform/db/statement.ts'
import { groupBy } from '../platform/group-by.ts'
import { ALERT_KINDS, type AlertKind } from './alert.ts'

type Claimed = {
  id: number
  kind: AlertKind
  subject: string
  says: string
  size: number
  since: Date
  times: number
  toTell: 'opened' | 'worse' | 'closed'
}
/** The parts needed to send alerts. */
export type Telling = Pick<Gateway, 'directory' | 'clock' | 'log' | 'config' | 'alertPoster' | 'baseUrl'>

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
   returning a.id, a.kind, a.subject, a.says, a.size, a.since, a.times, a.to_tell as "toTell"`,
)
const TOLD = statement(
  'alerts were told',
  `update alerts set told_at = $2, told_size = size, telling = null, telling_until = null,
     to_tell = case when to_tell = n.told then null else to_tell end
   from unnest($3::bigint[], $4::text[]) as n (of_id, told) where id = n.of_id and telling = $1`,
)

/**
 * Sends due alerts to the log, and to ALERT_WEBHOOK if it is set. What could not be posted is tried again in a minute.
 * Never throws for what the receiver does.
 */
export async function sendAlerts(telling: Telling): Promise<number> {
  const now = telling.clock.now()
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
    if (!(await post(telling, messageOf(telling, kind, alerts)))) continue
    await telling.directory.query(TOLD, [
      token,
      telling.clock.now().toISOString(),
      alerts.map(({ id }) => id),
      alerts.map(({ toTell }) => toTell),
    ])
  }
  return claimed.length
}

/** Posts one message to ALERT_WEBHOOK. True when it was taken, or when there is no address. */
export async function post(
  { config, alertPoster, log }: Pick<Telling, 'config' | 'alertPoster' | 'log'>,
  message: object,
): Promise<boolean> {
  if (config.alertWebhook === null) return true
  assertOutsideTransaction('an alert')
  const attempted = await alertPoster.post({
    url: config.alertWebhook,
    body: Buffer.from(JSON.stringify(message)),
    headers: { 'Content-Type': 'application/json', 'User-Agent': 'gateway-alerts/1.0' },
    keepAlive: false,
  })
  const isTaken = attempted.kind === 'answered' && attempted.status >= 200 && attempted.status < 300
  if (!isTaken) {
    const status = attempted.kind === 'answered' ? attempted.status : undefined
    log.error({ outcome: attempted.kind, status }, 'ALERT_WEBHOOK did not take an alert')
  }
  return isTaken
}

/** `text` is for receivers that show a line of text to people, as chat programs do. */
function messageOf({ baseUrl }: Telling, kind: AlertKind, alerts: readonly Claimed[]) {
  const lines = alerts.slice(0, MOST_LINES).map((one) => `${WORDS[one.toTell]}: ${one.says}`)
  const rest = alerts.length - lines.length
  return {
    kind,
    service: baseUrl,
    to_do: ALERT_KINDS[kind],
    alerts: alerts.slice(0, MOST_LINES).map(describe),
    more: rest,
    text: [
      `${kind} (${baseUrl})`,
      ...lines,
      ...(rest > 0 ? [`and ${rest} more`] : []),
      ALERT_KINDS[kind],
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
