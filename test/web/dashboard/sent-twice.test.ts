import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dispenseSecretBinding } from '../../../src/selling/vending/callbacks/dispense-secret.ts'
import type { FormSpec } from '../../../src/web/parts/forms/form-spec.ts'
import { PARTS } from '../../../src/web/parts/texts.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { startPayingService } from '../../helpers/payments/payouts.ts'
import { made, opened, openedAndVerified } from '../../helpers/service/opened.ts'
import type { Page } from '../../helpers/web/browser.ts'
import { LOOKS_AT_ALL } from '../../helpers/web/changed-routes.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'
import { tableDigests, writtenSince } from './whole/digest.ts'
import { filledIn } from './whole/filled-in.ts'
import { formsOf } from './whole/places.ts'
import { post, type Sent, tokensOf } from './whole/send-form.ts'
import { wholeShop } from './whole/shop.ts'

const receiver = opened(() => startReceiver())
const service = openedAndVerified(() => startPayingService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))
const shop = made(() => wholeShop(service, receiver))

// The world of this test has nothing for them to do.
const REFUSED_HERE = [
  '/bulk/drafts/:id/prepare',
  '/bulk/drafts/:id/send',
  '/gift-cards/:id/restore',
  '/orders/:id/refund',
  '/orders/new',
  '/payouts/prepared/:id/approve',
  '/settings/limits/checker',
  '/settings/limits/checker/agree',
  '/verification/directors',
  '/wallet/top-ups/request',
  '/wallet/withdrawals/request',
]
// What was accepted. A refusal ends with the next form, and the same form may be sent again.
const isDone = (reply: Page) => reply.status === 303 || reply.status === 200
// A page that shows a secret carries tokens that are made anew each time.
const shownBy = (reply: Page) => (reply.status === 303 ? reply.location : mainOf(reply).replace(/value="[^"]*"/g, ''))

test('every form that moves money or makes a secret does it once, however often it is sent', async () => {
  const { owner } = shop.people
  const wrong: string[] = []
  const refused = new Set<string>()
  const done = new Set<string>()
  for (const { address, path, route } of formsOf(shop)) {
    if (route.kind !== 'form' || !route.spec.once) continue
    // The sentence of the form before is shown here and not on the next answer.
    await owner.get('/dashboard/settings')
    const { fields, file } = filledIn(route.spec)
    const sent = { address, fields: { ...(await tokensOf(service, owner, address)), ...fields }, file }
    // A double click: both at once.
    const [one, two] = await Promise.all([post(owner, sent), post(owner, sent)])
    const first = [one, two].find(isDone)
    if (first === undefined) {
      refused.add(path)
      continue
    }
    done.add(path)
    const before = await tableDigests(service)
    const later = await post(owner, sent)
    const written = await writtenSince(service, before)
    if (shownBy(later) !== shownBy(first)) wrong.push(`${address}: ${shownBy(first)} | ${shownBy(later)}`)
    if (written.length > 0) wrong.push(`${address} wrote ${written.join(' ')}`)
    if (first.status !== 303) continue
    const fault = await sentWithOther({ address, fields: sent.fields, file }, route.spec)
    if (fault !== null) wrong.push(`${address} ${fault}`)
  }
  assert.deepEqual(wrong, [])
  const expected = REFUSED_HERE.filter((path) => LOOKS_AT_ALL || refused.has(path))
  assert.deepEqual([...refused].filter((path) => !done.has(path)).sort(), expected)
})

/** The same form, sent again after a step back with another value in it; what is wrong with the answer, or null. */
async function sentWithOther(sent: Sent, spec: FormSpec): Promise<string | null> {
  const { owner } = shop.people
  const field = spec.fields.find(({ name, kind = 'text' }) => kind === 'amount' || kind === 'text' || name === 'amount')
  if (field === undefined) return null
  const value = field.kind === 'text' || field.kind === undefined ? 'Other words' : '2,345'
  const before = await tableDigests(service)
  const reply = await post(owner, { ...sent, fields: { ...sent.fields, [field.name]: value } })
  const written = (await writtenSince(service, before)).join(' ')
  if (reply.status !== 409 || !mainOf(reply).includes(PARTS.errors.used))
    return `says ${reply.status} ${reply.location} ${mainOf(reply).slice(0, 200)} of other values`
  const form = reply.forms.find(({ action }) => action.split('?', 1)[0] === sent.address)
  // Some forms are on pages of other roles, or of one mode alone.
  if (form === undefined) return written === '' ? null : `wrote ${written}`
  if (form.fields[field.name] !== value) return `forgets ${field.name}`
  if (form.fields.form === sent.fields.form) return 'offers the form that was used'
  return written === '' ? null : `wrote ${written}`
}

test('a form that was sent, changed after a step back and sent again is told so, and may be sent as a new one', async () => {
  const { owner } = shop.people
  const page = await owner.get('/dashboard/test/links/new')
  const first = await owner.send(page, '/links/new', { amount: '5,000' })
  const mended = await owner.send(page, '/links/new', { amount: '7,000' })
  assert.equal(mended.status, 409)
  assert.match(mainOf(mended), /Nothing was done\. This form was sent before with other values, and that took effect/)
  const second = await owner.send(mended, '/links/new')
  assert.deepEqual([first.status, second.status], [303, 303])
  assert.notEqual(second.location, first.location)
  assert.match(mainOf(await owner.follow(second)), /UGX 7,000/)
  assert.equal((await owner.send(page, '/links/new', { amount: '5,000' })).location, first.location)
})

test('a form that made a dispense secret and is sent again does not bring it back after a newer one', async () => {
  const { owner } = shop.people
  const address = '/dashboard/test/vending/settings/secret'
  const form = async () => ({ address, fields: await tokensOf(service, owner, address) })
  const [first, second] = [await form(), await form()]
  const secretIn = (page: Page) => /dsec_[a-z0-9]{40}/.exec(page.text)?.[0]
  const one = secretIn(await post(owner, first))
  const two = secretIn(await post(owner, second))
  assert.ok(one && two && one !== two)
  assert.equal(secretIn(await post(owner, first)), one)
  assert.equal(await storedSecret(), two)
})

/** What machine suppliers must sign with now. */
async function storedSecret(): Promise<string> {
  const { merchantId } = shop
  const [row] = await service.rows<{ ciphertext: Buffer }>(
    `select ciphertext from dispense_secrets where merchant_id = $1 and mode = 'test'`,
    [merchantId],
  )
  assert.ok(row)
  return service.gateway.vault.open(row.ciphertext, dispenseSecretBinding({ merchantId, mode: 'test' }))
}
