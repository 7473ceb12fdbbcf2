import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import test from 'node:test'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { newSigningPair } from '../../helpers/service/sign-request.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { hasForm } from '../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { signingShop } from './signing-shop.ts'

const service = openedAndVerified(() => startService())
const shop = () => signingShop(service)

test('only an owner with a fresh factor sets public keys, the audit has both lists, and what is none is refused', async () => {
  const { bind, who, keyId, merchantId, pair } = await shop()
  await assert.rejects(bind(pair.pem, { ...who, factorAgeMs: 5 * 60_000 + 1 }), {
    status: 403,
    code: 'step_up_required',
  })
  for (const role of ['developer', 'cashier', 'accountant', 'viewer'] as const)
    await assert.rejects(bind(pair.pem, { ...who, role }), { status: 403, code: 'forbidden' })
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const wrong: readonly [string, RegExp][] = [
    [String(pair.privateKey.export({ format: 'pem', type: 'pkcs8' })), /this is a private key/],
    [String(rsa.publicKey.export({ format: 'pem', type: 'spki' })), /a PEM block is none/],
    ['-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', /a PEM block is none/],
    [Buffer.alloc(31).toString('base64'), /is none/],
    [pair.publicKey.replace(/=$/, ''), /is none/],
    ['ssh-ed25519 AAAA', /ssh-ed25519 is none/],
    [[pair, newSigningPair(), newSigningPair()].map(({ publicKey }) => publicKey).join(' '), /at most 2/],
  ]
  for (const [text, message] of wrong) await assert.rejects(bind(text), { status: 400, message })
  await assert.rejects(bind(pair.pem, who, (await shop()).keyId), { code: 'not_found' })
  assert.deepEqual(await bind(`${pair.pem} ${pair.publicKey}`), [pair.publicKey], 'the same twice is one')
  await bind(pair.publicKey)
  const audit = await service.rows(
    `select subject, before, after from directory.audit where merchant_id = $1 and action = 'key.restrict'`,
    [merchantId],
  )
  assert.deepEqual(audit, [{ subject: keyId, before: { signed_by: [] }, after: { signed_by: [pair.publicKey] } }])
})

test('an owner sets it on the page of the key; a developer reads', async () => {
  const { merchant, keyId, pair } = await shop()
  const page = `/dashboard/test/developers/keys/${keyId}`
  const browser = await signedInAs(service, merchant)
  const before = await browser.get(page)
  assert.match(mainOf(before), /Signed by nobody: a request needs no signature/)
  const wrong = await browser.send(before, `/developers/keys/${keyId}/signers`, { public_keys: 'nothing' })
  assert.equal(wrong.status, 400)
  assert.match(mainOf(wrong), /nothing is none/)
  const saved = await browser.send(before, `/developers/keys/${keyId}/signers`, { public_keys: pair.pem })
  assert.equal(saved.status, 303)
  assert.ok(mainOf(await browser.get(page)).includes(`Signed by ${pair.publicKey}`))
  assert.equal((await service.client(merchant.keys.test).get('/v1/me')).status, 401)
  const developer = await signedInAs(service, merchant, { role: 'developer' })
  const seen = await developer.get(page)
  assert.ok(mainOf(seen).includes(`Signed by ${pair.publicKey}`))
  assert.equal(hasForm(seen, '/signers'), false)
})
