import assert from 'node:assert/strict'
import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import test from 'node:test'
import { actingFor, type StaffCaller } from '../../src/api/access/actor.ts'
import { getMerchantNamed } from '../../src/merchants/account/set-merchant.ts'
import { addMail } from '../../src/merchants/mails/mail.ts'
import { factorBinding } from '../../src/merchants/people/sealed-columns.ts'
import { readDocument } from '../../src/merchants/verification/change-documents.ts'
import { readNameChecks, storeNameCheck } from '../../src/merchants/verification/name-check.ts'
import { readVerification } from '../../src/merchants/verification/read-application.ts'
import { saveStep } from '../../src/merchants/verification/save-step.ts'
import { SEALED_IN_CELL, SEALED_IN_DIRECTORY } from '../../src/program/commands/secrets.ts'
import { readCallbackSecrets } from '../../src/selling/vending/callbacks/callback-secrets.ts'
import { startReceiver } from '../fakes/receiver.ts'
import { BY_HAND } from '../helpers/service/actors.ts'
import { assertRefused, oneJson, runInside } from '../helpers/service/command-line.ts'
import { opened } from '../helpers/service/opened.ts'
import { startService, type TestService } from '../helpers/service/test-service.ts'
import { signedInAs } from '../helpers/web/dashboard.ts'
import { browserAt } from '../helpers/web/push-device.ts'
import { applicant, document, pdf, SETTLEMENT } from '../helpers/web/verification.ts'
import { deliver, endedCharge } from '../helpers/web/webhooks.ts'
import { commandsOn } from './commands/commands-on.ts'

const KEY_A = Buffer.alloc(32, 7)
const KEY_B = Buffer.alloc(32, 9)
const RUTH: StaffCaller = {
  ...{ kind: 'operator', role: 'risk', name: 'Ruth', factorAgeMs: 0, origin: 'test', requestId: null },
  ...{ personId: 1, sessionId: 'ses_ruth' },
}

const receiver = opened(() => startReceiver())
const env = () => ({ WEBHOOK_ALLOW_PRIVATE: receiver.place })
const service = opened(() => startService({ env: env() }))
const { settings, run, json } = commandsOn(service, { more: env })
const idOf = async (publicId: string) => (await getMerchantNamed(service.gateway, publicId)).merchant.id

test('D9: every sealed column of the schema is known to secrets rewrap', async () => {
  const columns = await service.rows<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema in ('cell_0', 'directory') and data_type = 'bytea' order by 1`,
  )
  const notSealed = new Set([
    'address_windows.address',
    'alert_test.address_hash',
    'alert_test.code_hash',
    'api_keys.hash',
    'approvals.command',
    'approvals.digest',
    'audit_seals.hash',
    'bulk_batches.digest',
    'bulk_drafts.csv',
    'charges.phone_digest',
    'brandings.logo',
    'command_keys.fingerprint',
    'events.digest',
    'factors.public_key',
    'idempotency_keys.fingerprint',
    'invoice_mail_stops.address',
    'form_results.token_hash',
    'form_results.typed',
    'form_steps.token_hash',
    // A step of a form lasts an hour; one that does not open begins anew, as one in an address does.
    'form_steps.sealed',
    'gift_cards.code_hash',
    'known_browsers.hash',
    'list_columns.headings',
    'one_time_links.hash',
    'schedules.digest',
    'passkey_challenges.act',
    'passkey_challenges.hash',
    'prepared_payouts.fingerprint',
    'prepared_payouts.request',
    'push_devices.address_hash',
    'rail_attempts.callback_digest',
    'rail_attempts.callback_token_sha256',
    'rail_statement_lines.digest',
    'rail_statement_staged.digest',
    'recovery_codes.hash',
    'search_postings.positions',
    'sessions.hash',
    'sessions.previous_hash',
    'sign_in_misses.account',
    'statement_files.bytes',
    'statement_files.digest',
    'storefront_items.picture',
    'verification_digests.digest',
  ])
  const sealed = columns.map(({ name }) => name).filter((name) => !notSealed.has(name))
  const known = [...SEALED_IN_CELL, ...SEALED_IN_DIRECTORY].map(({ name }) => name)
  assert.deepEqual(known.sort(), sealed)
})

test('D9: secrets rewrap moves everything to a new MASTER_KEY, old forms included, while the old one is still read', async () => {
  const merchant = await service.merchant()
  await service.set(merchant, { webhookUrl: receiver.url })
  const id = await idOf(merchant.id)
  await json('merchants', 'set', merchant.handle, '--vending', 'true')
  const supplier = ['--base-url', 'https://1.1.1.1', '--key', 'K', '--secret', 'S', '--shbh', '7']
  await json('vending', 'set', merchant.handle, ...supplier)
  await service.client(merchant.keys.live).post('/v1/vending/dispense-secret')
  const cards = await json('gift-cards', 'issue', merchant.handle, '--value', '5000', '--key', 'cards')
  // As the release before sealed it, with one key for all columns.
  const plain = `whsec_${randomBytes(32).toString('base64')}`
  await service.rows(
    `update cell_0.merchant_secrets set ciphertext = $2 where merchant_id = $1 and purpose = 'webhook'`,
    [id, sealedByVersion1(plain, [id, 'webhook', 'merchant_secrets.ciphertext'])],
  )
  const addresses = service.client(merchant.keys.live)
  const { body: further } = await addresses.post('/v1/webhook-addresses', { url: `${receiver.url}/more` })
  await addresses.post(`/v1/webhook-addresses/${further.id}/rotate`)
  const factor = await sealedFactor()
  const told = await applicant(service)
  const scan = pdf(randomBytes(600_000).toString('latin1'))
  const { id: scanId } = await document(service, told.caller, { bytes: scan })
  await saveStep(service.app, told.caller, { step: 'settlement', fields: SETTLEMENT })
  await mailThatWaits()
  await storeNameCheck(service.app, actingFor(RUTH, told.caller), {
    what: 'settlement',
    answer: { phone: '256772123456', active: true, name: 'Grace Nakato' },
  })
  const owner = await signedInAs(service, merchant)
  await owner.send(await owner.get('/dashboard/device'), '/add', { payments: 'yes', ...browserAt(receiver.url) })
  await json('admin', 'create', '--email', 'first@gateway.invalid')
  const derived = service.app.vault.derive('gift card codes')
  const signs = async (where: TestService) =>
    (await readCallbackSecrets(where.app, { merchantId: id, mode: 'live' })).map(({ secret }) => secret).sort()
  const before = await signs(service)
  assert.equal(before.length, 4, 'dispense secret, operator secret, two keys')

  const both = {
    ...settings,
    MASTER_KEY: KEY_B.toString('base64'),
    MASTER_KEY_PREVIOUS: settings.MASTER_KEY ?? '',
  }
  const alone = { ...settings, MASTER_KEY: KEY_B.toString('base64') }
  assertRefused(await runInside(['merchants', 'list'], alone), {
    code: 2,
    says: /^MASTER_KEY is not the key/,
  })
  const { findings } = oneJson(await runInside(['doctor', '--json'], both))
  assert.match(JSON.stringify(findings), /merchant_secrets\.ciphertext.* sealed with an older key/)
  const { rewrapped } = oneJson(await runInside(['secrets', 'rewrap', '--json'], both))
  for (const [name, count] of Object.entries(rewrapped)) assert.ok((count as number) > 0, name)
  const again = oneJson(await runInside(['secrets', 'rewrap', '--json'], both))
  for (const [name, count] of Object.entries(again.rewrapped)) assert.equal(count, 0, name)

  const next = await startService({ database: service.database, env: alone, clock: service.clock })
  assert.deepEqual(await signs(next), before)
  assert.equal(await factor.opened(next), 'JBSWY3DPEHPK3PXP')
  const place = { merchant: told.merchant, id: scanId, content: 'file' } as const
  assert.deepEqual((await readDocument(next.app, BY_HAND, place)).bytes, scan)
  const checks = await readNameChecks(next.app, told.merchant.id)
  assert.equal(checks.get('settlement')?.name, 'Grace Nakato')
  const { answers } = await readVerification(next.app, told.merchant.id)
  assert.equal(answers.settlement?.phone, '256772123456')
  assert.deepEqual(next.app.vault.derive('gift card codes'), derived, 'codes of gift cards are still found')
  assert.deepEqual(
    oneJson(
      await runInside(['gift-cards', 'issue', merchant.handle, '--value', '5000', '--key', 'cards', '--json'], alone),
    ),
    cards,
  )
  const { eventId } = await endedCharge(next, next.client(merchant.keys.test))
  await deliver(next)
  const received = receiver.received.find(({ event }) => event.id === eventId)
  assert.equal(
    received?.headers['x-service-signature'],
    createHmac('sha256', plain)
      .update(received?.body ?? '')
      .digest('hex'),
  )
  await next.close()
  assertRefused(await run('merchants', 'list'), { code: 2, says: /^MASTER_KEY is not the key/ })
  const back = { ...settings, MASTER_KEY_PREVIOUS: KEY_B.toString('base64') }
  oneJson(await runInside(['secrets', 'rewrap', '--json'], back))
})

/** The authenticator app of a person. */
async function sealedFactor() {
  const id = 'fac_aaaaabbbbbbbbbbbbbbbb'
  await service.rows(
    `with someone as (insert into people (public_id, realm, name, email, email_key, created_at)
       values ('per_aaaaabbbbbbbbbbbbbbbb', 'merchant', 'A', 'a@a.invalid', 'a@a.invalid', $3) returning id)
     insert into factors (id, person_id, kind, name, sealed, created_at) select $1, id, 'totp', 'App', $2, $3 from someone`,
    [id, service.app.vault.seal('JBSWY3DPEHPK3PXP', factorBinding(id)), service.clock.now()],
  )
  const opened = async ({ app, rows }: TestService) => {
    const [row] = await rows<{ sealed: Buffer }>('select sealed from factors where id = $1', [id])
    return row && app.vault.open(row.sealed, factorBinding(id))
  }
  return { opened }
}

function sealedByVersion1(plain: string, boundTo: unknown[]): Buffer {
  const key = createHmac('sha256', KEY_A).update('secrets at rest').digest()
  const id = createHash('sha256').update(key).digest().subarray(0, 4)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(JSON.stringify(boundTo)))
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.from([1]), id, nonce, cipher.getAuthTag(), body])
}

async function mailThatWaits(): Promise<void> {
  const { gateway, clock } = service
  const mail = { to: 'grace@shop.example', template: 'no-account', values: {}, at: clock.now() } as const
  const row = addMail(gateway, mail)
  await gateway.directory.query(row.statement, row.values)
}
