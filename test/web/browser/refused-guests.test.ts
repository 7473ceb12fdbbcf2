import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { answerDispute } from '../../../src/selling/disputes/answer-dispute.ts'
import { closeDispute } from '../../../src/selling/disputes/close-dispute.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { signedInAs } from '../../helpers/web/dashboard.ts'
import { linksIn } from '../../helpers/web/mailed.ts'
import { newVisitor, ON_BROWSER } from './browser.ts'
import { worldOfFile } from './states/world-of-file.ts'

const world = worldOfFile()

// A phone that many people have, as it is held.
const SCREEN = { width: 390, height: 844 }

/** A form for people who are not signed in: where it stands, which one of the page, and what is typed into it. */
type Sent = { what: string; url: string; form: string; typed?: Record<string, string> }

/** Sends the form as a person does who sees it; what is not typed is empty. */
async function send(page: Page, { form: selector, typed = {} }: Sent): Promise<void> {
  const form = page.locator(selector).first()
  assert.ok((await form.count()) > 0, `${selector} stands on ${page.url()}`)
  await form.evaluate((one: any, values: Record<string, string>) => {
    for (let box = one.closest('details'); box; box = box.parentElement?.closest('details')) box.open = true
    for (const field of one.elements) {
      for (let box = field.closest('details'); box; box = box.parentElement?.closest('details')) box.open = true
      if (['text', 'tel', 'email', 'url', 'textarea', 'password'].includes(field.type))
        field.value = values[field.name] ?? ''
    }
    one.noValidate = true
  }, typed)
  await Promise.all([page.waitForNavigation(), form.locator('button[type=submit]').last().click()])
}

/** What a person sees of the refusal without scrolling; null when it is all there. */
async function unseen(page: Page): Promise<string | null> {
  const faults = page.locator('.fault')
  if ((await faults.count()) === 0) return 'shows no fault'
  const box = await faults.first().boundingBox()
  if (box === null) return 'its fault is folded away'
  const bottom = box.y + Math.min(box.height, 80)
  return box.y >= 0 && bottom <= SCREEN.height ? null : `its fault stands at ${Math.round(box.y)}`
}

async function walk(forms: readonly Sent[], javaScriptEnabled: boolean): Promise<string[]> {
  const wrong: string[] = []
  for (const sent of forms) {
    const { context, page } = await newVisitor(world.browser, {
      ...{ size: 'phone', own: [world.service.url, world.site.origin], javaScriptEnabled },
    })
    await page.setViewportSize(SCREEN)
    await page.goto(sent.url)
    await send(page, sent)
    const fault = await unseen(page)
    if (fault !== null) wrong.push(`${sent.what}: ${fault}`)
    await context.close()
  }
  return wrong
}

const LONG =
  'Nakasero market, two sacks of the best matooke and a basket of passion fruit, to be brought to the gate. '.repeat(2)

/** Pages of customers, as long as they can be. */
async function ofCustomers(): Promise<Sent[]> {
  const link = await world.link({ description: LONG.slice(0, 200), cancel_url: `${world.site.origin}/cart` })
  await world.giftCard(5000)
  const live = await world.liveLink({
    description: LONG.slice(0, 200),
    cancel_url: `${world.site.origin}/cart`,
  })
  const paid = await world.link()
  await world.submit(paid, { phone: '0700000000' })
  await world.decide()
  const report = `${world.service.url}/pay/${paid.id}/report`
  const pay = 'form[action*="/submit"]'
  const answered = await world.link()
  await world.submit(answered, { phone: '0700000000' })
  await world.decide()
  await answerAtLength(answered.id)
  return [
    { what: 'a payment without a phone', url: link.url, form: pay },
    { what: 'a payment with a wrong phone', url: link.url, form: pay, typed: { phone: '12' } },
    {
      what: 'a payment with a wrong e-mail',
      url: link.url,
      form: pay,
      typed: { phone: '0700000000', email: 'x' },
    },
    { what: 'a gift card without a code', url: live.url, form: 'form[action*="/apply-voucher"]' },
    {
      what: 'a wrong code',
      url: live.url,
      form: 'form[action*="/apply-voucher"]',
      typed: { code: 'WRONG-CODE' },
    },
    { what: 'a report without a reason', url: report, form: 'form[action*="/report"]' },
    {
      what: 'a report below a long answer to the one before',
      url: `${world.service.url}/pay/${answered.id}/report`,
      form: 'form[action*="/report"]',
    },
    { what: 'an amount of one’s own, empty', url: world.storefront, form: 'form[action$="/pay"]' },
    {
      what: 'an amount that is too small',
      url: world.storefront,
      form: 'form[action$="/pay"]',
      typed: { amount: '1' },
    },
  ]
}

/** The customer of this link reports a problem, and the shop answers with as many words as it may use. */
async function answerAtLength(link: string): Promise<void> {
  const { service, shop } = world
  const form = new URLSearchParams({ reason: 'not_delivered', details: 'Nothing came', contact: '' })
  await fetch(`${service.url}/pay/${link}/report`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
    redirect: 'manual',
  })
  const [dispute] = await service.rows<{ id: string }>(
    'select d.id from disputes d join charges c on c.id = d.charge_id where c.payment_link_id = $1',
    [link],
  )
  assert.ok(dispute)
  const { merchant } = await getMerchantNamed(service.gateway, shop.merchant.id)
  await answerDispute(service.app, BY_HAND, {
    merchant,
    id: dispute.id,
    says: 'We look into it. '.repeat(117),
  })
  await closeDispute(service.app, BY_HAND, { merchantId: merchant.id, id: dispute.id })
}

/** Pages of people who have no session. */
async function ofPeople(): Promise<Sent[]> {
  const { service, shop } = world
  const { url } = service
  const owner = await signedInAs(service, shop.merchant)
  await owner.post('/dashboard/forgot', { email: owner.email })
  await owner.send(await owner.get('/dashboard/settings/people'), '/invite', {
    email: 'new@people.invalid',
    role: 'viewer',
  })
  const [reset, join] = [
    (await linksIn(service, owner.email)).at(-1),
    (await linksIn(service, 'new@people.invalid')).at(-1),
  ]
  const form = 'main form[method=post]'
  return [
    ...['sign-in', 'sign-up', 'forgot'].map((path) => ({
      what: path,
      url: `${url}/dashboard/${path}`,
      form,
    })),
    {
      what: 'a wrong password',
      url: `${url}/dashboard/sign-in`,
      form,
      typed: { email: owner.email, password: 'not this one' },
    },
    {
      what: 'a password that is too short',
      url: `${url}/dashboard/sign-up`,
      form,
      typed: { business: 'Kiosk', email: 'k@shop.example', password: 'x' },
    },
    { what: 'a new password', url: `${url}${reset}`, form },
    { what: 'an invitation', url: `${url}${join}`, form },
    { what: 'the sign-in of operators', url: `${url}/console/sign-in`, form },
  ]
}

for (const scripts of [true, false]) {
  const how = scripts ? '' : ' without script'
  test(
    `a refused form of a customer shows on the first screen of a phone why it was refused${how}`,
    ON_BROWSER,
    async () => {
      assert.deepEqual(await walk(await ofCustomers(), scripts), [])
    },
  )
  test(`a refused form of somebody who is not signed in does so too${how}`, ON_BROWSER, async () => {
    assert.deepEqual(await walk(await ofPeople(), scripts), [])
  })
}
