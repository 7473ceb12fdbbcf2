import { serviceActor } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { Mode } from '../../../platform/mode.ts'
import { kampalaTime } from '../../../platform/time/kampala.ts'
import type { App } from '../../../program/app.ts'
import { readMailRecipients } from '../../account/mail-owners.ts'
import { addMail } from '../../mails/mail.ts'

/** A further address that has answered nothing but errors for a day or more since it was last heard of by mail. */
type FailingAddress = { merchantId: number; id: string; mode: Mode; url: string; since: Date; told: number }

const MAILS_BEFORE = 2
const ADDRESSES_AT_ONCE = 100

// Each step comes a day after the one before, also where nothing ran in between: nobody is switched off without two warnings.
const FIND_FAILING = statement<FailingAddress>(
  'addresses that answer nothing but errors',
  `select a.merchant_id as "merchantId", a.id, a.mode, a.url, a.failing_since as since, a.told
   from webhook_addresses a join merchants m on m.id = a.merchant_id and m.active
   where a.failing_since <= $1::timestamptz - interval '24 hours' and a.removed_at is null and a.state = 'active'
     and coalesce(a.told_at, a.failing_since) <= $1::timestamptz - interval '24 hours'
   order by a.failing_since limit ${ADDRESSES_AT_ONCE}`,
)
const RECORD_TOLD = statement(
  'told of failing address',
  `update webhook_addresses set told = $4 + 1, told_at = $5
   where merchant_id = $1 and id = $2 and failing_since = $3 and told = $4 and state = 'active'`,
)
const SWITCH_OFF = statement<{ id: string }>(
  'switch off webhook address',
  `update webhook_addresses set state = 'switched_off', state_since = $4, waits = true
   where merchant_id = $1 and id = $2 and failing_since = $3 and told = ${MAILS_BEFORE} and state = 'active' and removed_at is null
   returning id`,
)

/**
 * Warns the owners and developers of a further address that answers nothing but errors, after one day and after two, and switches it off
 * after three: its events wait. The first success begins all anew. Returns how many addresses it has switched off.
 */
export async function tendFailingAddresses(app: App, at: Date): Promise<number> {
  let switched = 0
  for (const address of await app.db.query(FIND_FAILING, [at.toISOString()]))
    if (address.told < MAILS_BEFORE) await warn(app, address, at)
    else switched += await switchOff(app, address, at)
  return switched
}

async function warn(app: App, { merchantId, id, mode, url, since, told }: FailingAddress, at: Date): Promise<void> {
  const values = {
    ...{ url, since: kampalaTime(since), days: String(told + 1), left: String(MAILS_BEFORE - told) },
    link: `${app.baseUrl}/dashboard${mode === 'test' ? '/test' : ''}/developers/webhook-addresses/${id}`,
  }
  for (const { email, handle } of await readMailRecipients(app, merchantId, ['owner', 'developer'])) {
    const add = addMail(app, {
      ...{ to: email, template: 'address-failing', at, values: { ...values, business: handle } },
      once: `address-failing ${id} ${email} ${since.toISOString()} ${told}`,
    })
    await app.directory.query(add.statement, add.values)
  }
  await app.db.query(RECORD_TOLD, [merchantId, id, since.toISOString(), told, at.toISOString()])
}

async function switchOff(app: App, { merchantId, id, mode, since }: FailingAddress, at: Date): Promise<number> {
  const actor = serviceActor('switch-off')
  allow(actor, 'webhook.switch', merchantId)
  return app.db.transaction(async (tx) => {
    const [{ length }] = await tx.send(call(SWITCH_OFF, merchantId, id, since.toISOString(), at.toISOString()))
    const facts = { before: { state: 'active' }, after: { state: 'switched_off', failing_since: since.toISOString() } }
    const row = auditRow({ actor, action: 'webhook.switch', at, merchantId, mode, subject: id, ...facts })
    return { value: length, last: length === 0 ? [] : [row] }
  })
}
