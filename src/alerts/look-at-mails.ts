import type { App } from '../app.ts'
import { firstRow } from '../platform/db/first-row.ts'
import { statement } from '../platform/db/statement.ts'
import type { Alarm } from './alert.ts'
import { recordLook } from './raise-alerts.ts'

// Mails belong to no cell, and whichever looks first records them.
const PLACE = 'mails'
const LATE_MS = 30 * 60_000
const DAY_MS = 24 * 3_600_000
// A few addresses that do not exist are no trouble of the server.
const FEW = 5

type Late = { count: number; since: Date | null; why: string | null; taken: boolean }
type Failed = { failed: number; taken: number; since: Date | null; why: string | null }

const LATE = statement<Late>(
  'alert: late mails',
  `select count(*)::int as count, min(created_at) as since, (array_agg(last_error order by created_at))[1] as why,
     exists (select 1 from mails where state = 'sent' and ended_at > $1) as taken
   from (select created_at, last_error from mails where due_at is not null and created_at <= $1 limit 1000) late`,
)
const FAILED = statement<Failed>(
  'alert: failed mails',
  `select count(*) filter (where state = 'failed')::int as failed, count(*) filter (where state = 'sent')::int as taken,
     min(ended_at) filter (where state = 'failed') as since,
     (array_agg(last_error order by ended_at desc) filter (where state = 'failed'))[1] as why
   from (select state, ended_at, last_error from mails where ended_at > $1 order by ended_at desc limit 10000) ended`,
)

/** Records as alerts that no mail goes out, or that most of them fail; closes what no longer holds. Answers how many conditions hold. */
export async function lookAtMails({ directory }: Pick<App, 'directory'>, at: Date): Promise<number> {
  const before = (ms: number) => [new Date(at.getTime() - ms).toISOString()]
  const [late, failed] = await Promise.all([
    firstRow(directory.query(LATE, before(LATE_MS))),
    firstRow(directory.query(FAILED, before(DAY_MS))),
  ])
  const found = [...lateAlarm(late), ...failedAlarm(failed)]
  await recordLook(directory, { place: PLACE, kinds: ['mails_unsent'], found, at })
  return found.length
}

const lateAlarm = (late: Late | null): Alarm[] =>
  late === null || late.since === null || late.taken
    ? []
    : [
        {
          kind: 'mails_unsent',
          subject: 'late',
          says: `${late.count} mails have waited for more than 30 minutes, and none went out meanwhile: ${late.why ?? 'nobody has tried'}`,
          size: late.count,
          since: late.since,
        },
      ]

const failedAlarm = (ended: Failed | null): Alarm[] =>
  ended === null || ended.since === null || ended.failed < FEW || ended.failed <= ended.taken
    ? []
    : [
        {
          kind: 'mails_unsent',
          subject: 'failed',
          says: `${ended.failed} mails have failed for good in 24 hours, and ${ended.taken} went out: ${ended.why ?? ''}`,
          size: ended.failed,
          since: ended.since,
        },
      ]
