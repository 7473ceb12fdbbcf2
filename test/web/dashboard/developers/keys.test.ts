import assert from 'node:assert/strict'
import test from 'node:test'
import { createKey, revokeKey, rotateKey } from '../../../../src/merchants/account/api-keys.ts'
import { listKeys } from '../../../../src/merchants/account/list-keys.ts'
import {
  readWebhookSecretTimes,
  revealKey,
  revealWebhookSecret,
} from '../../../../src/merchants/account/reveal-secrets.ts'
import { rotateWebhookSecret } from '../../../../src/merchants/account/rotate-webhook-secret.ts'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { setCheckerRule } from '../../../../src/payments/payouts/prepared/set-checker-rule.ts'
import { owner } from '../../../helpers/service/actors.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { hasForm } from '../../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startService())

async function shop() {
  const merchant = await service.merchant()
  const { id, tag } = (await getMerchantNamed(service.gateway, merchant.id)).merchant
  return { merchant, id, who: owner({ merchantId: id, tag, cell: 'cell_0', mode: 'test' }) }
}

const firstKeyOf = async (id: number) => (await listKeys(service.app, { id }))[0]?.id ?? ''
const auditOf = (merchantId: number, action: string) =>
  service.rows<any>('select * from cell_0.audit where merchant_id = $1 and action = $2', [merchantId, action])

test('a second key of a kind has a name and a maker, both work, and the first dies when it is revoked', async () => {
  const { merchant, id, who } = await shop()
  const wanted = { holder: { id }, kind: 'test', name: 'Till by the door' } as const
  const made = await createKey(service.app, who, wanted)
  const listed = (await listKeys(service.app, { id })).filter(({ kind }) => kind === 'test')
  assert.deepEqual(
    listed.map(({ name, createdBy }) => [name, createdBy]),
    [
      [null, null],
      ['Till by the door', 'owner'],
    ],
  )
  await assert.rejects(createKey(service.app, who, wanted), { code: 'too_many_keys' })
  for (const key of [merchant.keys.test, made.key]) assert.equal((await service.client(key).get('/v1/me')).status, 200)
  await revokeKey(service.app, who, { holder: { id }, id: listed[0]?.id ?? '' })
  assert.equal((await service.client(merchant.keys.test).get('/v1/me')).status, 401)
  assert.equal((await service.client(made.key).get('/v1/me')).status, 200)
  for (const name of ['', '  ', 'x'.repeat(61), 'a\u0000b'])
    await assert.rejects(createKey(service.app, who, { ...wanted, kind: 'live', name }), { status: 400 })
})

test('the same wish for a key, sent twice, is one key', async () => {
  const { id, who } = await shop()
  const wanted = { holder: { id }, kind: 'live', name: 'Server', commandKey: 'form-of-a-person' } as const
  const made = await createKey(service.app, who, wanted)
  assert.deepEqual(await createKey(service.app, who, wanted), made)
  await assert.rejects(createKey(service.app, who, { ...wanted, name: 'Other' }), { status: 409 })
})

test('a key and the secret of webhooks are shown again only after a fresh second factor, and each time is told in the audit', async () => {
  const { merchant, id, who } = await shop()
  const keyId = await firstKeyOf(id)
  const stale = { ...who, factorAgeMs: 5 * 60_000 + 1 }
  for (const nobody of [stale, { ...who, factorAgeMs: null }]) {
    const refused = { status: 403, code: 'step_up_required' }
    await assert.rejects(revealKey(service.app, nobody, { merchantId: id, id: keyId }), refused)
    await assert.rejects(revealWebhookSecret(service.app, nobody, id), refused)
  }
  const cashier = { ...who, role: 'cashier' } as const
  await assert.rejects(revealKey(service.app, cashier, { merchantId: id, id: keyId }), { code: 'forbidden' })
  assert.equal((await auditOf(id, 'key.reveal')).length, 0)
  const { kind, key } = await revealKey(service.app, who, { merchantId: id, id: keyId })
  assert.equal(key, merchant.keys[kind])
  assert.equal(await revealWebhookSecret(service.app, who, id), merchant.webhook_secret)
  const rows = [...(await auditOf(id, 'key.reveal')), ...(await auditOf(id, 'webhook.reveal'))]
  assert.deepEqual(
    rows.map(({ actor, subject }) => [actor, subject]),
    [
      ['owner', keyId],
      ['owner', null],
    ],
  )
  await revokeKey(service.app, who, { holder: { id }, id: keyId })
  await assert.rejects(revealKey(service.app, who, { merchantId: id, id: keyId }), { code: 'revoked' })
})

test('while the old secret of webhooks signs too, it is known until when', async () => {
  const { id, who } = await shop()
  const before = await readWebhookSecretTimes(service.app, id)
  assert.equal(before.previousUntil, null)
  const { previousUntil } = await rotateWebhookSecret(service.app, who, { merchant: { id } })
  assert.deepEqual((await readWebhookSecretTimes(service.app, id)).previousUntil, previousUntil)
  service.pass(86_400_000)
  const after = await readWebhookSecretTimes(service.app, id)
  assert.equal(after.previousUntil, null)
  assert.ok((after.since ?? 0) > (before.since ?? 0))
})

test('the owners hear by mail of every key that is made, shown or revoked, and others do not', async () => {
  const { merchant, id, who } = await shop()
  const owns = await signedInAs(service, merchant)
  await signedInAs(service, merchant, { role: 'developer' })
  const made = await createKey(service.app, who, { holder: { id }, kind: 'test' })
  await revealKey(service.app, who, { merchantId: id, id: made.id })
  await revealWebhookSecret(service.app, who, id)
  await rotateWebhookSecret(service.app, who, { merchant: { id } })
  await revokeKey(service.app, who, { holder: { id }, id: made.id })
  const mails = await service.rows<any>(
    `select recipient, template from mails where template = 'secret-act' and recipient like '%@people.invalid'`,
  )
  assert.deepEqual(
    mails.map(({ recipient }) => recipient),
    new Array(5).fill(owns.email),
  )
})

test('the key of another merchant is not there', async () => {
  const [own, other] = [await shop(), await shop()]
  const id = await firstKeyOf(other.id)
  await assert.rejects(revealKey(service.app, own.who, { merchantId: own.id, id }), { code: 'not_found' })
  assert.deepEqual(await auditOf(own.id, 'key.reveal'), [])
})

test('A74: a full live key is for owners who may send money now; developers have keys of test and collections', async () => {
  const { merchant, id, who } = await shop()
  const live = (await listKeys(service.app, { id })).find(({ kind }) => kind === 'live')?.id ?? ''
  const held = { ...who, heldUntil: new Date(service.clock.nowMs() + 3_600_000) }
  const developer = { ...who, role: 'developer' as const }
  const unproven = { ...who, confirmed: false }
  for (const [actor, code] of [
    [held, 'money_out_held'],
    [developer, 'forbidden'],
    [unproven, 'email_unconfirmed'],
  ] as const) {
    await assert.rejects(createKey(service.app, actor, { holder: { id }, kind: 'live' }), { code })
    await assert.rejects(rotateKey(service.app, actor, { holder: { id }, kind: 'live' }), { code })
    await assert.rejects(revealKey(service.app, actor, { merchantId: id, id: live }), { code })
  }
  assert.deepEqual(await auditOf(id, 'key.reveal'), [])
  for (const kind of ['test', 'test_collections', 'live_collections'] as const)
    assert.ok((await createKey(service.app, developer, { holder: { id }, kind })).key)
  const builder = await signedInAs(service, merchant, { role: 'developer' })
  const page = await builder.get('/dashboard/developers')
  assert.doesNotMatch(page.text, /value="live"/)
  const sent = await builder.send(page, '/keys/new', { kind: 'live' })
  assert.equal(sent.status, 400)
  const key = await builder.get(`/dashboard/developers/keys/${live}`)
  assert.match(key.text, /owners make, reveal and replace it/)
  assert.equal(hasForm(key, '/reveal'), false)
  await revokeKey(service.app, developer, { holder: { id }, id: live })
})

test('where live payouts take two persons no single one gets a full live key on the dashboard', async () => {
  const { merchant, id, who } = await shop()
  const owners = [await signedInAs(service, merchant), await signedInAs(service, merchant)] as const
  await setCheckerRule(service.app, who, 10_000)
  const live = (await listKeys(service.app, { id })).find(({ kind }) => kind === 'live')?.id ?? ''
  const page = await owners[0].get(`/dashboard/developers/keys/${live}`)
  for (const form of ['/reveal', '/second', '/replace']) {
    const reply = await owners[0].send(page, form, {})
    assert.equal(reply.status, 403, form)
    assert.match(mainOf(reply), /need a second person, and whoever has a full live key could pay alone/)
  }
  assert.deepEqual(await auditOf(id, 'key.reveal'), [])
  const collections = await owners[0].get('/dashboard/developers')
  const made = await owners[0].send(collections, '/keys/new', { kind: 'live_collections' })
  assert.equal(made.status, 200)
})

test('A74: nobody becomes an owner by somebody whose money out is held', async () => {
  const { merchant } = await shop()
  const owner = await signedInAs(service, merchant)
  const second = await signedInAs(service, merchant, { role: 'viewer' })
  const until = new Date(service.clock.nowMs() + 3_600_000)
  await service.rows('update directory.people set held_until = $2 where id = $1', [owner.personId, until])
  const [{ id } = { id: '' }] = await service.rows<{ id: string }>(
    'select public_id as id from directory.people where id = $1',
    [second.personId],
  )
  for (const people of ['/dashboard/settings/people', '/dashboard/test/settings/people']) {
    const page = await owner.get(people)
    const invited = await owner.send(page, '/invite', { email: 'second@self.invalid', role: 'owner' })
    const promoted = await owner.send(page, `/${id}/role`, { role: 'owner' })
    for (const reply of [invited, promoted]) {
      assert.equal(reply.status, 403)
      assert.match(mainOf(reply), /money out from the dashboard waits until/)
    }
  }
  const page = await owner.get('/dashboard/settings/people')
  assert.equal((await owner.send(page, `/${id}/role`, { role: 'cashier' })).status, 303)
})
