import assert from 'node:assert/strict'
import test from 'node:test'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { hasForm } from '../../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startService({ env: { WEBHOOK_ALLOW_PRIVATE: 'books.example:443' } }))

test('on the page an owner adds an address, sees how it does, sends what waits and removes it; others only look', async () => {
  const merchant = await service.merchant()
  const browser = await signedInAs(service, merchant)
  const page = '/dashboard/test/developers/webhooks'
  const before = await browser.get(page)
  assert.match(mainOf(before), /Other addresses/)
  const wrong = await browser.send(before, '/webhook-addresses/new', { url: 'nowhere' })
  assert.equal(wrong.status, 400)
  const made = await browser.send(before, '/webhook-addresses/new', { url: 'https://books.example/hook' })
  assert.match(mainOf(made), /whsec_/)
  const listed = await browser.get(page)
  assert.match(mainOf(listed), /https:\/\/books\.example\/hook Gets every event/)
  const [own] = (await service.client(merchant.keys.test).get('/v1/webhook-addresses')).body.data.slice(1)
  await service.client(merchant.keys.test).post(`/v1/webhook-addresses/${own.id}/pause`)
  const paused = await browser.get(page)
  assert.match(mainOf(paused), /Paused: its events wait here/)
  assert.equal((await browser.send(paused, `/webhook-addresses/${own.id}/resume`, {})).status, 303)
  const on = await browser.get(page)
  assert.doesNotMatch(mainOf(on), /Paused/)
  assert.equal((await browser.send(on, `/webhook-addresses/${own.id}/remove`, {})).status, 303)
  assert.doesNotMatch(mainOf(await browser.get(page)), /books\.example/)
  const accountant = await signedInAs(service, merchant, { role: 'accountant' })
  assert.equal(hasForm(before, '/webhook-addresses/new'), true)
  assert.equal(hasForm(await accountant.get(page), '/webhook-addresses/new'), false)
})
