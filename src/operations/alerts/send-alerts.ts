import { randomBytes } from 'node:crypto'
import { statement } from '../../platform/db/statement.ts'
import { groupBy } from '../../platform/group-by.ts'
import { type AlertState, alertMessage } from './alert-message.ts'
import type { AlertKind } from './kinds.ts'
import { recordFindings } from './record-alerts.ts'
import { type AlertSender, type SendResult, sendMessage } from './send-message.ts'

type DueAlert = {
  id: number
  kind: AlertKind
  subject: string
  message: string
  size: number
  since: Date
  times: number
  state: AlertState
  newsAt: Date | null
}

// One message a kind in this time; alerts that come meanwhile go into the next one together (reliability.md 11.3).
const QUIET_MS = 10 * 60_000
const LEASE_MS = 60_000
const MAX_AT_ONCE = 200

// The inner rows are locked, so that only one of two processes sends; a kind is quiet while any of its rows was sent
// recently.
const CLAIM = statement<DueAlert>(
  'claim alerts to tell',
  `with due as (
     select id from alerts a where to_tell is not null and (telling_until is null or telling_until <= $1)
       and not exists (select 1 from alerts b where b.kind = a.kind and b.told_at > $2)
       and not exists (select 1 from alerts b where b.kind = a.kind and b.telling_until > $1)
     order by id limit $5 for update skip locked)
   update alerts a set telling = $3, telling_until = $4 from due where a.id = due.id
   returning a.id, a.kind, a.subject, a.says as message, a.size, a.since, a.times, a.to_tell as state, a.news_at as "newsAt"`,
)
const RECORD_SENT = statement(
  'alerts were told',
  `update alerts a set told_at = $2, told_size = size, telling = null, telling_until = null,
     to_tell = case when to_tell = n.told and a.news_at is not distinct from n.news_at then null else to_tell end
   from unnest($3::bigint[], $4::text[], $5::timestamptz[]) as n (of_id, told, news_at) where a.id = n.of_id and a.telling = $1`,
)

/**
 * Sends due alerts to the log, and by every channel that is set: ALERT_WEBHOOK and mail. Alerts that no channel took are sent again in a
 * minute. Returns how many were due. Never throws for what a receiver or a mail server does.
 */
export async function sendAlerts(sender: AlertSender): Promise<number> {
  // By a clock that is ahead a kind would be quiet for as long as the clock is wrong.
  const now = sender.witness.earlier()
  const token = randomBytes(9).toString('hex')
  const after = (ms: number) => new Date(now.getTime() + ms).toISOString()
  const due = await sender.directory.query(CLAIM, [
    now.toISOString(),
    after(-QUIET_MS),
    token,
    after(LEASE_MS),
    MAX_AT_ONCE,
  ])
  for (const [kind, alerts] of groupBy(due, (alert) => alert.kind)) {
    const message = alertMessage(sender, kind, alerts)
    sender.log.error({ alert: kind, alerts: message.json.alerts }, 'alert')
    const result = await sendMessage(sender, message)
    await recordFailedChannels(sender, result)
    if (result.channels.length > 0 && result.failed.length === result.channels.length) continue
    await sender.directory.query(RECORD_SENT, [
      token,
      sender.witness.earlier().toISOString(),
      alerts.map(({ id }) => id),
      alerts.map(({ state }) => state),
      alerts.map(({ newsAt }) => newsAt?.toISOString() ?? null),
    ])
  }
  return due.length
}

/** A channel that fails while the other works is an alert of its own, which leaves by the other; it is over when both work. */
async function recordFailedChannels(
  { directory, clock }: AlertSender,
  { channels, failed }: SendResult,
): Promise<void> {
  if (channels.length < 2 || failed.length === channels.length) return
  const at = clock.now()
  const findings = failed.map(({ channel, why }) => ({
    kind: 'alert_way' as const,
    subject: channel,
    message: `${channel} did not take an alert: ${why}`,
    size: 1,
    since: at,
  }))
  await recordFindings(directory, { source: 'ways', kinds: ['alert_way'], findings, at })
}
