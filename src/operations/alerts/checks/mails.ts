import { firstRow } from '../../../platform/db/first-row.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { App } from '../../../program/app.ts'
import type { Check, Finding } from '../check.ts'

const LATE_MS = 30 * 60_000
const DAY_MS = 24 * 3_600_000
// A few addresses that do not exist are no fault of the mail server.
const MIN_FAILED = 5

type LateMails = { count: number; since: Date | null; why: string | null; taken: boolean }
type FailedMails = { failed: number; taken: number; since: Date | null; why: string | null }

const LATE = statement<LateMails>(
  'alert: late mails',
  `select count(*)::int as count, min(created_at) as since, (array_agg(last_error order by created_at))[1] as why,
     exists (select 1 from mails where state = 'sent' and ended_at > $1) as taken
   from (select created_at, last_error from mails where due_at is not null and created_at <= $1 limit 1000) late`,
)
const FAILED = statement<FailedMails>(
  'alert: failed mails',
  `select count(*) filter (where state = 'failed')::int as failed, count(*) filter (where state = 'sent')::int as taken,
     min(ended_at) filter (where state = 'failed') as since,
     (array_agg(last_error order by ended_at desc) filter (where state = 'failed'))[1] as why
   from (select state, ended_at, last_error from mails where ended_at > $1 order by ended_at desc limit 10000) ended`,
)

/** Finds that no mail goes out, or that most of them fail. */
export const MAIL_CHECKS: readonly Check[] = [{ kinds: ['mails_unsent'], source: () => 'mails', find: findUnsentMails }]

async function findUnsentMails({ directory }: Pick<App, 'directory'>, at: Date): Promise<Finding[]> {
  const before = (ms: number) => [new Date(at.getTime() - ms).toISOString()]
  const [late, failed] = await Promise.all([
    firstRow(directory.query(LATE, before(LATE_MS))),
    firstRow(directory.query(FAILED, before(DAY_MS))),
  ])
  return [...describeLate(late), ...describeFailed(failed)]
}

const describeLate = (late: LateMails | null): Finding[] =>
  late === null || late.since === null || late.taken
    ? []
    : [
        {
          kind: 'mails_unsent',
          subject: 'late',
          message: `${late.count} mails have waited for more than 30 minutes, and none went out meanwhile: ${late.why ?? 'nobody has tried'}`,
          size: late.count,
          since: late.since,
        },
      ]

const describeFailed = (failed: FailedMails | null): Finding[] =>
  failed === null || failed.since === null || failed.failed < MIN_FAILED || failed.failed <= failed.taken
    ? []
    : [
        {
          kind: 'mails_unsent',
          subject: 'failed',
          message: `${failed.failed} mails have failed for good in 24 hours, and ${failed.taken} went out: ${failed.why ?? ''}`,
          size: failed.failed,
          since: failed.since,
        },
      ]
