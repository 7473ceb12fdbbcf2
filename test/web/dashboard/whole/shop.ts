import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { MerchantRole } from '../../../../src/api/access/actor.ts'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { verifyWithdrawalNumber } from '../../../../src/payments/withdrawals/withdrawal-number.ts'
import type { Mode } from '../../../../src/platform/mode.ts'
import { kampalaMonth } from '../../../../src/platform/time/kampala.ts'
import { setVending } from '../../../../src/selling/vending/suppliers/vending-settings.ts'
import { addressIn } from '../../../../src/web/dashboard/addresses.ts'
import type { Receiver } from '../../../fakes/receiver.ts'
import { richShop } from '../../../helpers/payments/payouts.ts'
import { BY_HAND, owner as ownerAt } from '../../../helpers/service/actors.ts'
import { type LiveService, newPayer, type Shop } from '../../../helpers/service/live-service.ts'
import { anotherBrowser, type Planted, signedInAs } from '../../../helpers/web/dashboard.ts'
import { browserAt } from '../../../helpers/web/push-device.ts'
import { answerAll } from '../../../helpers/web/verification.ts'
import { type Ids, makeTestObjects, plantFactor, type Words } from './objects.ts'
import { sendForm } from './send-form.ts'

export const ROLES: readonly MerchantRole[] = ['owner', 'developer', 'cashier', 'accountant', 'viewer']
const SUPPLIER = {
  baseUrl: 'https://93.184.216.34/machines',
  shbh: 'SH-1',
  key: 'supplier-key-0001',
  secret: 'supplier-secret-0001',
}
// A code by itself: a part of an id is none.
const CODE = /(?<![\w-])[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}(?![\w-])/g
const PLAIN: Words = { name: 'Ŋŋoma & Sons', note: 'Two lines,\nand a comma', reference: 'ORDER-1' }

export type WholeShop = Shop & {
  merchantId: number
  /** Somebody of each role who has just given the second factor. */
  people: Record<MerchantRole, Planted>
  /** Ids of objects by the part of an address before them, in each mode. */
  ids: Record<Mode, Ids>
  words: Words
  /** What no page, address or log may hold: keys, secrets, codes, cookies. */
  secrets: string[]
}

/** A merchant with an object for every page of the dashboard, and people of every role. */
export async function wholeShop(service: LiveService, receiver: Receiver, words: Words = PLAIN): Promise<WholeShop> {
  const shop = await richShop(service, 900_000)
  const { merchant } = await getMerchantNamed(service.gateway, shop.merchant.id)
  const test = await makeTestObjects(service, shop, { receiver, words })
  const entries: [MerchantRole, Planted][] = []
  for (const role of ROLES) entries.push([role, await signedInAs(service, shop.merchant, { role })])
  const people = Object.fromEntries(entries) as Record<MerchantRole, Planted>
  await service.rows('update people set name = $2 where id = any($1)', [
    entries.map(([, { personId }]) => personId),
    words.name,
  ])
  const secrets = await secretsOf(service, shop, Object.values(people))
  const of = { ...shop, merchantId: merchant.id, people, words, secrets }
  const live = await makeLiveObjects(service, of)
  const both = await makeOwnObjects(service, of)
  const keys = await keysOf(service, merchant.id)
  // Each mode has its own figures of these, and no copies of them.
  const shared = {
    '/subaccounts': test['/subaccounts'] ?? '',
    '/vending/machines': test['/vending/machines'] ?? '',
  }
  const helped = { test: await askForHelp(service, of, 'test'), live: await askForHelp(service, of, 'live') }
  return {
    ...of,
    ids: {
      test: { ...both, ...test, ...keys.test, ...helped.test },
      live: { ...both, ...shared, ...live, ...keys.live, ...helped.live },
    },
  }
}

type Made = Omit<WholeShop, 'ids'>

/** The secrets that this merchant and its people have from the start. */
async function secretsOf(service: LiveService, { merchant, test }: Shop, people: Planted[]): Promise<string[]> {
  const dispense = await test.post('/v1/vending/dispense-secret')
  assert.equal(dispense.status, 201, dispense.text)
  await setVending(service.app, BY_HAND, {
    merchant: (await getMerchantNamed(service.gateway, merchant.id)).merchant,
    change: { supplier: SUPPLIER },
  })
  const cookies = people.flatMap((person) => person.cookies().map(({ value }) => value))
  const own = [...Object.values(merchant.keys), merchant.webhook_secret, dispense.body.secret]
  return [...own, SUPPLIER.key, SUPPLIER.secret, ...cookies]
}

/** What real money is needed for, made on the pages by the people who make it. */
async function makeLiveObjects(service: LiveService, { merchantId, people, words, secrets }: Made): Promise<Ids> {
  const { owner, accountant } = people
  const payee = {
    phone: newPayer(),
    amount: '7,000',
    name: words.name,
    reference: words.reference,
    note: words.name,
  }
  const idFrom = async (person: Planted, path: string, fields: Record<string, string>) => {
    const sent = await sendForm(service, person, { address: `/dashboard${path}`, fields })
    assert.equal(sent.status, 303, `${path}: ${sent.text}`)
    return sent.location.split('/').at(-1) ?? ''
  }
  const prepared = await idFrom(accountant, '/payouts/prepare', payee)
  const draft = await idFrom(owner, '/bulk/paste', {
    lines: `${newPayer()},500,${randomUUID()},James\nx,y,z,Ann`,
  })
  const item = await idFrom(owner, '/storefront/add', {
    name: words.name,
    amount: '30,000',
    description: words.note,
  })
  const issued = await sendForm(service, owner, {
    address: '/dashboard/gift-cards/issue',
    fields: { value: '10,000', quantity: '2', notes: words.note },
  })
  secrets.push(...[...issued.text.matchAll(CODE)].map(([code]) => code))
  const [card] = await service.rows<{ id: string }>('select id from gift_cards where merchant_id = $1', [merchantId])
  await idFrom(owner, '/wallet/withdrawals/number', { phone: '0700000009' })
  await verifyWithdrawalNumber(service.app, BY_HAND, { merchantId, phone: '0700000009' })
  await idFrom(owner, '/wallet/withdrawals/request', { amount: '20,000' })
  const [withdrawal] = await service.rows<{ id: string }>('select id from withdrawals where merchant_id = $1', [
    merchantId,
  ])
  const terms = { when: 'weekly 1', clock: '20', keep: '100,000', least: '5,000', limit: '300,000' }
  await idFrom(owner, '/wallet/withdrawals/standing-order/set', terms)
  const [order] = await service.rows<{ id: string }>('select id from standing_orders where merchant_id = $1', [
    merchantId,
  ])
  const topUp = await idFrom(owner, '/wallet/top-ups/request', { amount: '20,000', phone: newPayer() })
  return {
    ...{ '/payouts/prepared': prepared, '/bulk/drafts': draft, '/storefront': item },
    ...{
      '/gift-cards': card?.id ?? '',
      '/wallet/withdrawals': withdrawal?.id ?? '',
      '/wallet/withdrawals/standing-order': order?.id ?? '',
      '/wallet/top-ups': topUp,
    },
  }
}

/** A case that a cashier wrote, so that every role reads it. */
async function askForHelp(service: LiveService, { people, words }: Made, mode: Mode): Promise<Ids> {
  const sent = await sendForm(service, people.cashier, {
    ...{ address: addressIn(mode, '/help/new'), fields: { message: words.note } },
  })
  assert.equal(sent.status, 303, sent.text)
  return { '/help': sent.location.split('/').at(-1) ?? '' }
}

async function keysOf(service: LiveService, merchantId: number): Promise<Record<Mode, Ids>> {
  const rows = await service.rows<{ id: string; kind: string }>(
    'select id, kind from api_keys where merchant_id = $1 and revoked_at is null order by created_at',
    [merchantId],
  )
  const of = (mode: Mode) => ({ '/developers/keys': rows.find(({ kind }) => kind === mode)?.id ?? '' })
  return { test: of('test'), live: of('live') }
}

/** What belongs to the merchant and its people, whatever the mode. */
async function makeOwnObjects(service: LiveService, { merchant, merchantId, people, words }: Made): Promise<Ids> {
  const { owner, viewer } = people
  const send = (path: string, fields: Record<string, string> = {}) =>
    sendForm(service, owner, { address: `/dashboard${path}`, fields })
  await answerVerification(service, merchant)
  const app = await send('/settings/security/app')
  await send('/settings/people/invite', { email: 'invited@people.invalid', role: 'viewer' })
  for (const mode of ['', '/test'])
    await send(`${mode}/views/charges/save`, { query: 'status=failed', name: words.name.slice(0, 60) })
  await send('/settings/notifications/add', { email: 'books@people.invalid', close: 'yes' })
  await send('/device/add', { payments: 'yes', ...browserAt('https://push.example.com/of-a-phone') })
  const first = async (sql: string, value: unknown) => (await service.rows<{ id: string }>(sql, [value]))[0]?.id ?? ''
  return {
    '/wallet/statements': kampalaMonth(service.clock.now()),
    '/settings/people/invitations': await first(
      `select id from one_time_links where merchant_id = $1 and purpose = 'join'`,
      merchantId,
    ),
    '/settings/people/sessions': viewer.sessionId,
    '/settings/people': await first('select public_id as id from people where id = $1', viewer.personId),
    '/settings/security/app': app.location.split('/').at(-1) ?? '',
    '/settings/security/factors': await plantFactor(service, owner.personId, words.name),
    '/settings/security/sessions': (await anotherBrowser(service, owner)).sessionId,
    '/settings/business': merchant.id,
    '/verification/directors': '1',
    '/views': 'charges',
    '/settings/notifications': await first('select id::text from notices where merchant_id = $1', merchantId),
    '/device': await first('select id from push_devices where merchant_id = $1', merchantId),
    '/verification/documents': await first('select id from verification_documents where merchant_id = $1', merchantId),
  }
}

/** The merchant is not verified any more, so that there is something to answer. */
async function answerVerification(service: LiveService, shop: Made['merchant']): Promise<void> {
  await service.set(shop, { kycStatus: 'pending' })
  const { merchant, app } = await getMerchantNamed(service.gateway, shop.id)
  await answerAll(service, ownerAt({ merchantId: merchant.id, tag: merchant.tag, cell: app.cell, mode: 'live' }))
}
