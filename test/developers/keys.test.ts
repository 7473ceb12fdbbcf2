import assert from 'node:assert/strict'
import test from 'node:test'
import { createKey, listKeys, revokeKey } from '../../src/merchants/api-keys.ts'
import { revealKey, revealWebhookSecret, webhookSecretTimes } from '../../src/merchants/reveal-secrets.ts'
import { rotateWebhookSecret } from '../../src/merchants/rotate-webhook-secret.ts'
import { findMerchant } from '../../src/merchants/set-merchant.ts'
import { owner } from '../helpers/actors.ts'
import { signedInAs } from '../helpers/dashboard.ts'
import { openedAndVerified } from '../helpers/opened.ts'
import { startService } from '../helpers/test-service.ts'

const service = openedAndVerified(() => startService())

async function shop() {
  const merchant = await service.merchant()
  const { id, tag } = (await findMerchant(service.gateway, merchant.id)).merchant
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
  for (const key of [merchant.keys.test, made.key])
    assert.equal((await service.client(key).get('/v1/me')).status, 200)
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
  const before = await webhookSecretTimes(service.app, id)
  assert.equal(before.previousUntil, null)
  const { previousUntil } = await rotateWebhookSecret(service.app, who, { merchant: { id } })
  assert.deepEqual((await webhookSecretTimes(service.app, id)).previousUntil, previousUntil)
  service.pass(86_400_000)
  const after = await webhookSecretTimes(service.app, id)
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
