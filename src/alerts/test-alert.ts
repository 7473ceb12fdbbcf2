import { createHash, timingSafeEqual } from 'node:crypto'
import type { Actor } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import { call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { randomText } from '../platform/ids.ts'
import { badRequest, domainRefusal } from '../platform/refusal.ts'
import type { Telling } from './send-alerts.ts'
import { alertMailTo, sendByAllWays } from './ways.ts'

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
const CONFIRM = statement(
  'confirm test alert',
  'update alert_test set confirmed_at = $1 where code_hash = $2',
)

const CODE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789' // What people do not misread.
const CODE_CHARACTERS = 6

/** Sends one alert with a code by every way there is, for its reader to confirm. Refuses without a way, or when one did not take it. */
export async function sendTestAlert(telling: Telling): Promise<void> {
  const address = await addressesOf(telling)
  if (address === '')
    throw badRequest('ALERT_WEBHOOK is not set, and no mail either (ALERT_MAIL): there is nobody to tell')
  const code = randomText(CODE_ALPHABET, CODE_CHARACTERS)
  const text = `A test alert of ${telling.baseUrl}. Confirm that somebody reads this: gateway alerts test --code ${code}`
  const json = { kind: 'test', service: telling.baseUrl, code, alerts: [], more: 0 }
  await telling.directory.query(KEEP, [digest(address), digest(code), telling.clock.now().toISOString()])
  const { failed } = await sendByAllWays(telling, { subject: 'A test alert', json, text })
  if (failed.length > 0)
    throw domainRefusal(
      'not_delivered',
      `${failed.map(({ way }) => way).join(' and ')} did not take the test alert; the log line above says why`,
    )
}

/** Confirms the last test alert with the code that stood in it. */
export async function confirmTestAlert(telling: Telling, actor: Actor, code: string): Promise<void> {
  allow(actor, 'alert.confirm')
  const [sent] = await telling.directory.query(FIND)
  const given = digest(code.trim().toUpperCase())
  if (!sent || !timingSafeEqual(sent.codeHash, given))
    throw domainRefusal('wrong_code', 'this is not the code of the last test alert')
  const at = telling.clock.now()
  await telling.directory.transaction(async (tx) => {
    await tx.send(call(CONFIRM, at.toISOString(), sent.codeHash))
    const row = auditRow({ actor, action: 'alert.confirm', at, merchantId: null, after: { confirmed: true } })
    return { value: null, last: [row] }
  })
}

/** Whether a test alert to the present addresses was confirmed. */
export async function isAlertAddressConfirmed(
  telling: Pick<Telling, 'directory' | 'config'>,
): Promise<boolean> {
  const address = await addressesOf(telling)
  if (address === '') return false
  const [sent] = await telling.directory.query(FIND)
  return sent !== undefined && sent.confirmedAt !== null && sent.addressHash.equals(digest(address))
}

/** Where alerts go, as one text: another address wants a test of its own. Operators who get them by their role are not named. */
async function addressesOf(telling: Pick<Telling, 'directory' | 'config'>): Promise<string> {
  const { alertWebhook, alertMail } = telling.config
  const named = [...(alertWebhook === null ? [] : [alertWebhook]), ...alertMail]
  if (named.length > 0) return named.join(' ')
  return (await alertMailTo(telling)).length > 0 ? 'operators' : ''
}

const digest = (text: string) => createHash('sha256').update(text).digest()
