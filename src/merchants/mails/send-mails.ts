import { randomBytes } from 'node:crypto'
import { dueCondition } from '../../platform/db/due-times.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Gateway } from '../../program/app.ts'
import { listContacts } from './contacts.ts'
import { mailBinding } from './mail.ts'
import type { PostResult } from './post-office.ts'
import { renderHtml, renderText } from './render-letter.tsx'
import { findLetter, isForMerchants } from './texts.ts'

type ClaimedMail = {
  id: string
  recipient: string
  template: string
  sealed: Buffer
  attempts: number
  createdAt: Date
}
type MailSending = Pick<Gateway, 'directory' | 'clock' | 'vault' | 'postOffice' | 'log' | 'config'>

/** How many mails one run claims. */
export const MAILS_PER_RUN = 10
const PARALLEL_MAILS = 2
const LEASE_MS = 5 * 60_000
const MINUTE_MS = 60_000
// Delays before the later attempts, like the ladder of webhooks (spec 6).
const RETRY_DELAYS_MS = [1, 5, 30, 120, 360, 720, 1440].map((minutes) => minutes * MINUTE_MS)
const MAX_RETRY_DELAY_MS = Math.max(...RETRY_DELAYS_MS)
const KEPT_MS = 30 * 24 * 3_600_000

/** Returns the SQL condition of mails that are due at the time of this parameter. */
export const isMailDue = (at: string) => dueCondition('due_at', at, MAX_RETRY_DELAY_MS)
const CLAIM = statement<ClaimedMail>(
  'claim mails',
  `with due as (select id from mails where ${isMailDue('$1')}
     and (lease_until is null or ${dueCondition('lease_until', '$1', LEASE_MS)})
     order by due_at limit $2 for no key update skip locked)
   update mails m set lease_until = $3, lease_token = $4 from due where m.id = due.id
   returning m.id, m.recipient, m.template, m.sealed, m.attempts, m.created_at as "createdAt"`,
)
const RECORD = statement(
  'record mail',
  `update mails set state = $3, attempts = attempts + 1, due_at = $4, ended_at = $5, last_error = $6,
     sealed = case when $3 = 'waiting' then sealed end, lease_until = null, lease_token = null
   where id = $1 and lease_token = $2 returning id`,
)
const PRUNE = statement(
  'prune mails',
  'delete from mails where id in (select id from mails where ended_at < $1 order by ended_at limit 1000) returning id',
)

/**
 * Sends mails that are due, a few at once. A mail that may have been taken is sent again under the same Message-ID; one that the server
 * refuses for good, or that was tried eight times, has failed. Never throws for what a mail server does.
 */
export async function sendMails(sending: MailSending): Promise<number> {
  const now = sending.clock.now()
  const token = randomBytes(9).toString('hex')
  const lease = new Date(now.getTime() + LEASE_MS).toISOString()
  const claimed = await sending.directory.query(CLAIM, [now.toISOString(), MAILS_PER_RUN, lease, token])
  const unsent = [...claimed]
  const work = async () => {
    for (let mail = unsent.shift(); mail !== undefined; mail = unsent.shift())
      await recordMail(sending, { mail, token, posted: await postMail(sending, mail) })
  }
  await Promise.all(Array.from({ length: PARALLEL_MAILS }, work))
  return claimed.length
}

async function postMail({ vault, postOffice, config }: MailSending, mail: ClaimedMail): Promise<PostResult> {
  const values = JSON.parse(vault.open(mail.sealed, mailBinding(mail.id))) as Record<string, string>
  const letter = findLetter(mail.template, values)
  if (letter === null) return { kind: 'unclear', why: `there is no text ${mail.template}` }
  const foot = { reference: mail.id, contacts: isForMerchants(mail.template) ? listContacts(config, mail.id) : [] }
  return postOffice.post({
    id: mail.id,
    to: mail.recipient,
    subject: letter.subject,
    text: renderText(letter, foot),
    html: renderHtml(letter, foot),
    at: mail.createdAt,
  })
}

async function recordMail(
  { directory, clock, log }: MailSending,
  { mail, token, posted }: { mail: ClaimedMail; token: string; posted: PostResult },
): Promise<void> {
  const now = clock.now()
  const retryInMs = RETRY_DELAYS_MS[mail.attempts]
  const state =
    posted.kind === 'taken' ? 'sent' : posted.kind === 'unclear' && retryInMs !== undefined ? 'waiting' : 'failed'
  const why = posted.kind === 'taken' ? null : posted.why
  const due = state === 'waiting' ? new Date(now.getTime() + (retryInMs ?? 0)).toISOString() : null
  if (why !== null) log.warn({ mail: mail.id, template: mail.template, state, why }, 'a mail was not taken')
  await directory.query(RECORD, [mail.id, token, state, due, due === null ? now.toISOString() : null, why])
}

/** Deletes mails that were sent or given up more than 30 days ago. Returns how many. */
export const pruneMails = async ({ directory, witness }: Pick<Gateway, 'directory' | 'witness'>): Promise<number> =>
  (await directory.query(PRUNE, [new Date(witness.earlierMs() - KEPT_MS).toISOString()])).length
