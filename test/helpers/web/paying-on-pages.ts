import assert from 'node:assert/strict'
import type { Call } from '../../../src/platform/db/database.ts'
import { lockLink } from '../../../src/selling/payment-links/hold-link.ts'
import { somebodyWaits } from '../database/lock-waits.ts'
import { newPayer } from '../service/live-service.ts'
import type { TestService } from '../service/test-service.ts'
import { type Browser, browserOf, type Page } from './browser.ts'

/** Fills in the form of a link with this phone and sends it. */
export async function pay(browser: Browser, id: string, fields: Record<string, string> = {}): Promise<Page> {
  const form = await browser.get(`/pay/${id}`)
  return browser.send(form, '/submit', { phone: newPayer(), ...fields })
}

/** Holds the row of a link until a payment waits for it, then applies a change; the payment continues with the changed state. */
export async function payDuring<Answer>(
  service: TestService,
  { merchantId, id }: { merchantId: number; id: string },
  { paying, change }: { paying: () => Promise<Answer>; change: () => Promise<readonly Call[]> },
): Promise<Answer> {
  let paid: Promise<Answer> | null = null
  await service.app.db.transaction(async (tx) => {
    await tx.send(lockLink(merchantId, id))
    paid ??= paying()
    await somebodyWaits(service)
    return { value: null, last: await change() }
  })
  assert.ok(paid)
  return paid
}

/** Enters a code on the page of a link and reloads the form. */
export async function applyCode(browser: Browser, id: string, code: string): Promise<Page> {
  const form = await browser.get(`/pay/${id}`)
  return browser.follow(await browser.send(form, '/apply-voucher', { code }))
}

/** A new visitor with a phone of their own. */
export const visitor = (service: TestService, headers: Browser['headers'] = {}) => browserOf(service, headers)

/** The status document that the page's script reads. */
export async function statusOf(service: { url: string }, id: string, query = ''): Promise<any> {
  const page = await browserOf(service).get(`/pay/${id}/status.json${query}`)
  assert.equal(page.status, 200, page.text)
  return page.body
}

/** Lets the sandbox decide open payments. */
export async function sandboxDecides(service: TestService): Promise<void> {
  service.pass(2000)
  await service.run('follow-charges')
}
