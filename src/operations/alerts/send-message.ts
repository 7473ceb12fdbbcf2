import { renderHtml, renderText } from '../../merchants/mails/render-letter.tsx'
import { findLetter } from '../../merchants/mails/texts.ts'
import { assertOutsideTransaction } from '../../platform/db/open-transaction.ts'
import { statement } from '../../platform/db/statement.ts'
import { newId, newTag } from '../../platform/text/ids.ts'
import type { Gateway } from '../../program/app.ts'

/** One message about alerts: JSON for programs, and a text for mails and for receivers that show people a line of text. */
export type AlertMessage = {
  subject: string
  text: string
  json: Readonly<Record<string, unknown>> & { alerts: unknown }
}
/** The two ways by which alerts leave. Neither depends on the other: the mail of an alert is not a stored row that waits. */
type AlertChannel = 'ALERT_WEBHOOK' | 'ALERT_MAIL'
/** Which channels are set, and which of them did not take a message, with why. */
export type SendResult = {
  channels: readonly AlertChannel[]
  failed: readonly { channel: AlertChannel; why: string }[]
}
/** The parts of the app that sending needs. */
export type AlertSender = Pick<
  Gateway,
  'config' | 'alertPoster' | 'postOffice' | 'log' | 'directory' | 'clock' | 'witness' | 'baseUrl'
>

const ADMINS = statement<{ email: string }>(
  'operators who hear of alerts',
  `select email from people where realm = 'operator' and operator_role = 'admin' and email is not null and confirmed_at is not null
     and closed_at is null order by id limit 20`,
)

/**
 * Returns who gets alerts by mail: ALERT_MAIL, or else, where a mail server is set, every operator of the role admin: an alert that reaches
 * nobody is worse than one too many.
 */
export async function listAlertRecipients({
  config,
  directory,
}: Pick<AlertSender, 'config' | 'directory'>): Promise<readonly string[]> {
  if (config.alertMail.length > 0) return config.alertMail
  if (config.mailUrl === null) return []
  return (await directory.query(ADMINS).catch(() => [])).map(({ email }) => email)
}

/** Sends a message by every channel that is set, at the same time. Never throws for what a receiver or a mail server does. */
export async function sendMessage(sender: AlertSender, message: AlertMessage): Promise<SendResult> {
  const people = await listAlertRecipients(sender)
  const tried: { channel: AlertChannel; why: Promise<string | null> }[] = [
    ...(sender.config.alertWebhook === null
      ? []
      : [{ channel: 'ALERT_WEBHOOK' as const, why: post(sender, sender.config.alertWebhook, message) }]),
    ...(people.length === 0 ? [] : [{ channel: 'ALERT_MAIL' as const, why: mail(sender, people, message) }]),
  ]
  const failed = []
  for (const { channel, why: waiting } of tried) {
    const why = await waiting
    if (why === null) continue
    sender.log.error({ way: channel, why }, `${channel} did not take an alert`)
    failed.push({ channel, why })
  }
  return { channels: tried.map(({ channel }) => channel), failed }
}

/** Posts the JSON. Returns null when the address took it, else why not. */
async function post({ alertPoster }: AlertSender, url: string, { json, text }: AlertMessage): Promise<string | null> {
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

/** Mails the text to all of them. Returns null when one of them was delivered, else why not. */
async function mail(
  { postOffice, clock }: AlertSender,
  people: readonly string[],
  { subject, text }: AlertMessage,
): Promise<string | null> {
  const letter = findLetter('alert', { subject, text })
  if (letter === null) return 'there is no text for alerts'
  const at = clock.now()
  const posted = await Promise.all(
    people.map((to) =>
      postOffice.post({
        id: newId('mail_', newTag()),
        to,
        subject: letter.subject,
        text: renderText(letter),
        html: renderHtml(letter),
        at,
      }),
    ),
  )
  if (posted.some(({ kind }) => kind === 'taken')) return null
  return posted.map((posted) => (posted.kind === 'taken' ? '' : posted.why)).join('; ')
}
