import { createHash, timingSafeEqual } from 'node:crypto'
import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { badRequest, domainRefusal } from '../../platform/refusal.ts'
import { randomText } from '../../platform/text/ids.ts'
import { type AlertSender, listAlertRecipients, sendMessage } from './send-message.ts'

const KEEP = statement(
  'keep test alert',
  `insert into alert_test (address_hash, code_hash, sent_at) values ($1, $2, $3)
   on conflict (only_row) do update set address_hash = excluded.address_hash, code_hash = excluded.code_hash,
     sent_at = excluded.sent_at, confirmed_at = null`,
)
const FIND = statement<{ addressHash: Buffer; codeHash: Buffer; confirmedAt: Date | null }>(
  'find test alert',
  `select address_hash as "addressHash", code_hash as "codeHash", confirmed_at as "confirmedAt" from alert_test`,
)
const CONFIRM = statement('confirm test alert', 'update alert_test set confirmed_at = $1 where code_hash = $2')

const CODE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789' // What people do not misread.
const CODE_CHARACTERS = 6

/** Sends one alert with a code by every channel that is set, for its reader to confirm. Refuses when none is set, or when one did not take it. */
export async function sendTestAlert(sender: AlertSender): Promise<void> {
  const address = await findAddresses(sender)
  if (address === '')
    throw badRequest('ALERT_WEBHOOK is not set, and no mail either (ALERT_MAIL): there is nobody to tell')
  const code = randomText(CODE_ALPHABET, CODE_CHARACTERS)
  const text = `A test alert of ${sender.baseUrl}. Confirm that somebody reads this: gateway alerts test --code ${code}`
  const json = { kind: 'test', service: sender.baseUrl, code, alerts: [], more: 0 }
  await sender.directory.query(KEEP, [digest(address), digest(code), sender.clock.now().toISOString()])
  const { failed } = await sendMessage(sender, { subject: 'A test alert', json, text })
  if (failed.length > 0)
    throw domainRefusal(
      'not_delivered',
      `${failed.map(({ channel }) => channel).join(' and ')} did not take the test alert; the log line above says why`,
    )
}

/** Confirms the last test alert with the code that stood in it. */
export async function confirmTestAlert(sender: AlertSender, actor: Actor, code: string): Promise<void> {
  allow(actor, 'alert.confirm')
  const [sent] = await sender.directory.query(FIND)
  const given = digest(code.trim().toUpperCase())
  if (!sent || !timingSafeEqual(sent.codeHash, given))
    throw domainRefusal('wrong_code', 'this is not the code of the last test alert')
  const at = sender.clock.now()
  await sender.directory.transaction(async (tx) => {
    await tx.send(call(CONFIRM, at.toISOString(), sent.codeHash))
    const row = auditRow({ actor, action: 'alert.confirm', at, merchantId: null, after: { confirmed: true } })
    return { value: null, last: [row] }
  })
}

/** Whether a test alert to the present addresses was confirmed. */
export async function isAlertAddressConfirmed(sender: Pick<AlertSender, 'directory' | 'config'>): Promise<boolean> {
  const address = await findAddresses(sender)
  if (address === '') return false
  const [sent] = await sender.directory.query(FIND)
  return sent !== undefined && sent.confirmedAt !== null && sent.addressHash.equals(digest(address))
}

/** Where alerts go, as one text: another address wants a test of its own. Operators who get them by their role are not named. */
async function findAddresses(sender: Pick<AlertSender, 'directory' | 'config'>): Promise<string> {
  const { alertWebhook, alertMail } = sender.config
  const named = [...(alertWebhook === null ? [] : [alertWebhook]), ...alertMail]
  if (named.length > 0) return named.join(' ')
  return (await listAlertRecipients(sender)).length > 0 ? 'operators' : ''
}

const digest = (text: string) => createHash('sha256').update(text).digest()
