import { randomBytes } from 'node:crypto'
import { dueCondition } from '../../platform/db/due-times.ts'
import { statement } from '../../platform/db/statement.ts'
import { formatEmailKey } from '../../platform/text/email-key.ts'
import type { Gateway } from '../../program/app.ts'
import { listContacts } from './contacts.ts'
import type { LetterValues } from './letter.ts'
import { mailBinding } from './mail.ts'
import type { MailFile, PostResult } from './post-office.ts'
import { greet, type MailReaders, readersOf } from './readers.ts'
import { renderHtml, renderText } from './render-letter.tsx'
import { findLetter, MAILS_WITH_FILES } from './texts.ts'

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
// The files are made and sent in this time: some megabytes through a slow line.
const FILE_LEASE_MS = 15 * 60_000
const MINUTE_MS = 60_000
// Delays before the later attempts, like the ladder of webhooks (spec 6).
const RETRY_DELAYS_MS = [1, 5, 30, 120, 360, 720, 1440].map((minutes) => minutes * MINUTE_MS)
const MAX_RETRY_DELAY_MS = Math.max(...RETRY_DELAYS_MS)
const MAX_WHY_CHARACTERS = 200
const KEPT_MS = 30 * 24 * 3_600_000

const FILE_TEMPLATES = MAILS_WITH_FILES.map((template) => `'${template}'`).join(', ')
const isDue = (at: string) => dueCondition('due_at', at, MAX_RETRY_DELAY_MS)

/** Returns the SQL condition of mails that are due at the time of this parameter, and of those that carry files. */
export const isMailDue = (at: string) => `${isDue(at)} and template not in (${FILE_TEMPLATES})`
export const isFileMailDue = (at: string) => `${isDue(at)} and template in (${FILE_TEMPLATES})`

const claimSql = (due: string, leaseMs: number) =>
  `with due as (select id from mails where ${due} and (lease_until is null or ${dueCondition('lease_until', '$1', leaseMs)})
     order by due_at limit $2 for no key update skip locked)
   update mails m set lease_until = $3, lease_token = $4 from due where m.id = due.id
   returning m.id, m.recipient, m.template, m.sealed, m.attempts, m.created_at as "createdAt"`
const CLAIM = statement<ClaimedMail>('claim mails', claimSql(isMailDue('$1'), LEASE_MS))
const CLAIM_WITH_FILES = statement<ClaimedMail>('claim mails with files', claimSql(isFileMailDue('$1'), FILE_LEASE_MS))
const FIND_NAME = statement<{ name: string }>(
  'name for a mail',
  'select name from people where realm = $1 and email_key = $2 and confirmed_at is not null and closed_at is null',
)
const RECORD = statement(
  'record mail',
  `update mails set state = $3, attempts = attempts + 1, due_at = $4, ended_at = $5, last_error = $6,
     sealed = case when $3 = 'waiting' then sealed end, lease_until = null, lease_token = null
   where id = $1 and lease_token = $2 returning id`,
)
const DROP = statement('drop mail', 'delete from mails where id = $1 and lease_token = $2 returning id')
const PRUNE = statement(
  'prune mails',
  'delete from mails where id in (select id from mails where ended_at < $1 order by ended_at limit 1000) returning id',
)

/** Whether a mail of this template may still go out when its turn comes. */
type MailWish = (template: string, values: LetterValues) => Promise<boolean>

/**
 * Sends mails that are due, a few at once. A mail that may have been taken is sent again under the same Message-ID; one that the server
 * refuses for good, or that was tried eight times, has failed. What nobody wants any more is deleted. Never throws for what a mail server
 * does.
 */
export async function sendMails(sending: MailSending, isWanted: MailWish = async () => true): Promise<number> {
  const { claimed, token } = await claimMails(sending, { claim: CLAIM, most: MAILS_PER_RUN, leaseMs: LEASE_MS })
  const unsent = [...claimed]
  const work = async () => {
    for (let mail = unsent.shift(); mail !== undefined; mail = unsent.shift()) {
      const { template, recipient: to } = mail
      const prepare: Preparation = async (values) =>
        (await isWanted(template, values)) ? { to, values, files: [] } : null
      await sendMail(sending, { mail, token, prepare })
    }
  }
  await Promise.all(Array.from({ length: PARALLEL_MAILS }, work))
  return claimed.length
}

/** A mail as it goes out: to whom, what its text is filled with, and its files. */
export type ReadyMail = { to: string; values: LetterValues; files: readonly MailFile[] }
type Preparation = (values: LetterValues) => Promise<ReadyMail | null>

/**
 * Sends one mail that carries files, if one is due. `prepare` makes the mail from its stored values: null where nobody may have it any
 * more, and the mail is deleted; when it throws, the mail is tried again like one that a server did not take.
 */
export async function sendMailWithFiles(sending: MailSending, prepare: Preparation): Promise<number> {
  const claiming = { claim: CLAIM_WITH_FILES, most: 1, leaseMs: FILE_LEASE_MS }
  const { claimed, token } = await claimMails(sending, claiming)
  for (const mail of claimed) await sendMail(sending, { mail, token, prepare })
  return claimed.length
}

async function sendMail(
  sending: MailSending,
  { mail, token, prepare }: { mail: ClaimedMail; token: string; prepare: Preparation },
): Promise<void> {
  const ready = await prepare(openValues(sending, mail)).catch((error) => new Error(String(error), { cause: error }))
  if (ready === null) {
    await sending.directory.query(DROP, [mail.id, token])
    return
  }
  const posted = ready instanceof Error ? notPrepared(ready) : await postMail(sending, mail, ready)
  await recordMail(sending, { mail, token, posted })
}

const notPrepared = ({ message }: Error): PostResult => ({ kind: 'unclear', why: message.slice(0, MAX_WHY_CHARACTERS) })

type Claiming = { claim: typeof CLAIM; most: number; leaseMs: number }

async function claimMails({ directory, clock }: MailSending, { claim, most, leaseMs }: Claiming) {
  const now = clock.now()
  const token = randomBytes(9).toString('hex')
  const lease = new Date(now.getTime() + leaseMs).toISOString()
  return { token, claimed: await directory.query(claim, [now.toISOString(), most, lease, token]) }
}

const openValues = ({ vault }: MailSending, { id, sealed }: ClaimedMail) =>
  JSON.parse(vault.open(sealed, mailBinding(id))) as LetterValues // As addMail has written them.

async function postMail(
  { directory, postOffice, config }: MailSending,
  mail: ClaimedMail,
  { to, values, files }: ReadyMail,
): Promise<PostResult> {
  const letter = findLetter(mail.template, values)
  if (letter === null) return { kind: 'unclear', why: `there is no text ${mail.template}` }
  const readers = readersOf(mail.template)
  const frame = {
    greeting: greet(readers === null ? null : await findName(directory, readers, to)),
    ...{ reference: mail.id, contacts: readers === 'merchant' ? listContacts(config, mail.id) : [] },
  }
  return postOffice.post({
    id: mail.id,
    to,
    subject: letter.subject,
    text: renderText(letter, frame),
    html: renderHtml(letter, frame),
    at: mail.createdAt,
    files,
  })
}

/** Finds the name of the person who has proven the address. Whoever only claims one could greet strangers with words of theirs. */
async function findName(directory: MailSending['directory'], realm: MailReaders, recipient: string) {
  const [person] = await directory.query(FIND_NAME, [realm, formatEmailKey(recipient)])
  return person?.name ?? null
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
