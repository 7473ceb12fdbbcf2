import type { Gateway } from '../app.ts'
import { htmlOf, textOf } from '../mails/letter.tsx'
import { letterOf } from '../mails/texts.ts'
import { assertOutsideTransaction } from '../platform/db/open-transaction.ts'
import { statement } from '../platform/db/statement.ts'
import { newId, newTag } from '../platform/ids.ts'

/** What one alert says: as JSON for programs, with the same text as a mail has. */
export type Message = { subject: string; text: string; json: Readonly<Record<string, unknown>> }
/** One of the two ways by which alerts leave. They depend on nothing of each other: a mail of an alert is no row that waits. */
export type Way = 'ALERT_WEBHOOK' | 'ALERT_MAIL'
/** Which ways there are, and which of them did not take a message, with why. */
export type Sent = { ways: readonly Way[]; failed: readonly { way: Way; why: string }[] }
export type Speaking = Pick<
  Gateway,
  'config' | 'alertPoster' | 'postOffice' | 'log' | 'directory' | 'clock' | 'witness' | 'baseUrl'
>

const ADMINS = statement<{ email: string }>(
  'operators who hear of alerts',
  `select email from people where realm = 'operator' and operator_role = 'admin' and email is not null and confirmed_at is not null
     and closed_at is null order by id limit 20`,
)

/**
 * Who gets alerts by mail: ALERT_MAIL, or else, where a mail server is set, every operator of the role admin: an alert that reaches
 * nobody is worse than one too many.
 */
export async function alertMailTo({
  config,
  directory,
}: Pick<Speaking, 'config' | 'directory'>): Promise<readonly string[]> {
  if (config.alertMail.length > 0) return config.alertMail
  if (config.mailUrl === null) return []
  return (await directory.query(ADMINS).catch(() => [])).map(({ email }) => email)
}

/** Sends a message by every way there is, at the same time. Never throws for what a receiver or a mail server does. */
export async function sendByAllWays(speaking: Speaking, message: Message): Promise<Sent> {
  const people = await alertMailTo(speaking)
  const tried: { way: Way; why: Promise<string | null> }[] = [
    ...(speaking.config.alertWebhook === null
      ? []
      : [{ way: 'ALERT_WEBHOOK' as const, why: post(speaking, speaking.config.alertWebhook, message) }]),
    ...(people.length === 0 ? [] : [{ way: 'ALERT_MAIL' as const, why: mail(speaking, people, message) }]),
  ]
  const failed = []
  for (const { way, why: waiting } of tried) {
    const why = await waiting
    if (why === null) continue
    speaking.log.error({ way, why }, `${way} did not take an alert`)
    failed.push({ way, why })
  }
  return { ways: tried.map(({ way }) => way), failed }
}

/** Null when the address took it; else why not. */
async function post({ alertPoster }: Speaking, url: string, { json, text }: Message): Promise<string | null> {
  assertOutsideTransaction('an alert')
  const attempted = await alertPoster.post({
    url,
    body: Buffer.from(JSON.stringify({ ...json, text })),
    headers: { 'Content-Type': 'application/json', 'User-Agent': 'gateway-alerts/1.0' },
    keepAlive: false,
  })
  if (attempted.kind !== 'answered') return attempted.kind
  return attempted.status >= 200 && attempted.status < 300 ? null : `http ${attempted.status}`
}

/** The same for mails: taken when one of the people gets it. */
async function mail(
  { postOffice, clock }: Speaking,
  people: readonly string[],
  { subject, text }: Message,
): Promise<string | null> {
  const letter = letterOf('alert', { subject, text })
  if (letter === null) return 'there is no text for alerts'
  const at = clock.now()
  const posted = await Promise.all(
    people.map((to) =>
      postOffice.post({
        id: newId('mail_', newTag()),
        to,
        subject: letter.subject,
        text: textOf(letter),
        html: htmlOf(letter),
        at,
      }),
    ),
  )
  if (posted.some(({ kind }) => kind === 'taken')) return null
  return posted.map((posted) => (posted.kind === 'taken' ? '' : posted.why)).join('; ')
}
