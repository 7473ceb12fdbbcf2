import { createHash } from 'node:crypto'
import type { PersonCaller } from '../../api/access/actor.ts'
import { allow, requireLiveMode } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import type { Merchant } from '../../merchants/account/merchant.ts'
import { refusedAddress, requireCallable } from '../../merchants/account/refused-address.ts'
import { assert } from '../../platform/assert.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { badRequest, domainRefusal, notFound } from '../../platform/refusal.ts'
import { defineSealedColumn } from '../../platform/rewrap.ts'
import type { SecretBinding } from '../../platform/secrets.ts'
import { newId } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { canEncryptFor, type PushAddress } from './encrypt-message.ts'

/** A phone or computer that shows payments of a merchant as they come. */
export type PushDevice = {
  id: string
  personId: number
  till: boolean
  agent: string
  /** SHA-256 of the address, in hex, by which a browser knows itself. */
  addressHash: string
  payments: boolean
  failures: boolean
  createdAt: Date
  sentAt: Date | null
}

type DeviceInput = PushAddress & Pick<PushDevice, 'payments' | 'failures' | 'agent'>

const MAX_DEVICES_OF_PERSON = 10
const MAX_DEVICES = 100
const MAX_AGENT_CHARACTERS = 200

const LIST = statement<PushDevice>(
  'list push devices',
  `select d.id, d.person_id as "personId", d.till, d.agent, encode(d.address_hash, 'hex') as "addressHash", d.payments, d.failures, d.created_at as "createdAt", d.sent_at as "sentAt"
   from push_devices d where d.merchant_id = $1 and ($2::bigint is null or d.person_id = $2) order by d.created_at, d.id limit ${MAX_DEVICES}`,
)
const LOCK = statement('lock merchant of push devices', 'select id from merchants where id = $1 for no key update')
// A browser that is switched on again keeps its place; somebody else who switches it on takes it over.
const FORGET_SAME = statement(
  'forget push device of address',
  'delete from push_devices where merchant_id = $1 and address_hash = $2',
)
const COUNTS = statement<{ own: number; all: number }>(
  'counts of push devices',
  `select count(*) filter (where person_id = $2)::int as own, count(*)::int as all from push_devices where merchant_id = $1`,
)
const ADD = statement(
  'add push device',
  `insert into push_devices (merchant_id, id, person_id, till, session_id, agent, address_hash, origin, sealed, payments,
     failures, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
)
const STOP = statement<{ id: string }>(
  'stop push device',
  'delete from push_devices where merchant_id = $1 and id = $2 and ($3::bigint is null or person_id = $3) returning id',
)

export const deviceBinding = (merchantId: number, id: string): SecretBinding => ({
  merchantId,
  purpose: id,
  column: 'push_devices.sealed',
})

/** The sealed addresses and keys of devices. */
export const SEALED_DEVICES = defineSealedColumn({
  table: 'push_devices',
  column: 'sealed',
  part: 't.id',
  bindingOf: ({ merchantId, part }) => {
    assert(merchantId !== null, 'a device has a merchant')
    return deviceBinding(merchantId, part)
  },
})

/** Lists the devices of this person at the merchant, an owner's with those of everybody, oldest first. */
export const listDevices = (app: App, { merchantId, personId, role }: PersonCaller): Promise<PushDevice[]> =>
  app.db.query(LIST, [merchantId, role === 'owner' ? null : personId])

/** Switches the messages on for the browser of this person or till, in live mode. Throws 400, 403. */
export async function addDevice(
  app: App,
  caller: PersonCaller,
  { merchant, input }: { merchant: Merchant; input: DeviceInput },
): Promise<void> {
  allow(caller, 'push.set', merchant.id)
  requireLiveMode(caller)
  const { endpoint, p256dh, auth, payments, failures } = input
  if (!payments && !failures) throw domainRefusal('bad_request', 'choose at least one thing to hear of')
  if (endpoint === '' || !(await canEncryptFor(input)))
    throw badRequest('this browser gave no address for messages: reload the page and switch them on there')
  await requireCallable(app, endpoint, refusedAddress(app, endpoint, 'WEBHOOK_ALLOW_PRIVATE'))
  const at = app.clock.now()
  const id = newId('psh_', merchant.tag)
  const sealed = app.vault.seal(JSON.stringify({ endpoint, p256dh, auth }), deviceBinding(merchant.id, id))
  const hash = createHash('sha256').update(endpoint).digest()
  const agent = input.agent.replace(/[^\x20-\x7e]/g, '').slice(0, MAX_AGENT_CHARACTERS)
  const till = caller.till === true
  const device = [agent, hash, new URL(endpoint).origin, sealed, payments, failures, at.toISOString()]
  await app.db.transaction(async (tx) => {
    const [, , [counts]] = await tx.send(
      call(LOCK, merchant.id),
      call(FORGET_SAME, merchant.id, hash),
      call(COUNTS, merchant.id, caller.personId),
    )
    assert(counts, 'an aggregate is one row')
    requireRoom(counts)
    await tx.send(call(ADD, merchant.id, id, caller.personId, till, till ? caller.sessionId : null, ...device))
    const act = { actor: caller, action: 'push.set', at, merchantId: merchant.id, subject: id } as const
    return { value: null, last: [auditRow({ ...act, after: { payments, failures, agent } })] }
  })
}

function requireRoom({ own, all }: { own: number; all: number }): void {
  if (own >= MAX_DEVICES_OF_PERSON)
    throw domainRefusal('too_many', `at most ${MAX_DEVICES_OF_PERSON} devices of one person: remove one first`)
  if (all >= MAX_DEVICES)
    throw domainRefusal('too_many', `at most ${MAX_DEVICES} devices of one business: an owner can remove some`)
}

/** Forgets a device: one's own, or for an owner anybody's. Throws 404. */
export async function stopDevice(
  app: App,
  caller: PersonCaller,
  { merchant, id }: { merchant: Merchant; id: string },
): Promise<void> {
  allow(caller, 'push.stop', merchant.id)
  const at = app.clock.now()
  await app.db.transaction(async (tx) => {
    const [[stopped]] = await tx.send(call(STOP, merchant.id, id, caller.role === 'owner' ? null : caller.personId))
    if (!stopped) throw notFound('device')
    const act = { actor: caller, action: 'push.stop', at, merchantId: merchant.id, subject: id } as const
    return { value: null, last: [auditRow({ ...act, after: { stopped: true } })] }
  })
}
