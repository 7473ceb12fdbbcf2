import assert from 'node:assert/strict'
import { followUntilEnded, succeed } from '../../helpers/payments/following-charges.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { askFor } from '../../helpers/web/asking.ts'
import { formOf } from '../../helpers/web/browser.ts'
import { mainOf, signedInAs, tillOf } from '../../helpers/web/dashboard.ts'
import { launchBrowser, newVisitor, ON_BROWSER } from '../browser/browser.ts'

const service = openedAndVerified(() => startLiveService())
const shop = made(() => service.shop())
const ASK = '/dashboard/ask'
const idOf = (location: string) => location.split('/').at(-1) ?? ''
const chargesOf = async () => (await shop.live.get('/v1/charges')).body.data

async function decided() {
  service.pass(3000)
  await service.run('follow-charges')
}

test('owner, cashier and till ask a phone for live money, see who must do what, and that it is paid', async () => {
  for (const person of [
    await signedInAs(service, shop.merchant),
    await signedInAs(service, shop.merchant, { role: 'cashier' }),
    await tillOf(service, shop.merchant),
  ]) {
    const phone = newPayer()
    const sent = await askFor(person, { amount: '25,000', phone, reference: 'two sacks' })
    const open = mainOf(await person.follow(sent))
    assert.match(open, /UGX 25,000 two sacks .*Waiting for the PIN/)
    assert.match(open, /shows a message from .*It says UGX 25,000/)
    const id = idOf(sent.location)
    assert.equal((await shop.live.get(`/v1/charges/${id}`)).body.reference, 'two sacks')
    await succeed(service, id)
    const paid = await person.get(`${sent.location}?part=story`)
    assert.match(mainOf(paid), /Paid UGX 25,000 from 07\d\d \d{3} \d{3} has arrived/)
    assert.deepEqual([paid.headers.get('x-part'), /data-ended="paid"/.test(paid.text)], ['final', true])
  }
})

test('a refused payment says why and what to do, and is asked for again with one tap', async () => {
  const cashier = await signedInAs(service, shop.merchant, { role: 'cashier' })
  const phone = newPayer()
  service.operator.onQuestion({ answer: 'failed', code: 'NOT_ENOUGH_FUNDS' }, phone)
  const sent = await askFor(cashier, { amount: '7000', phone, reference: 'soap' })
  await followUntilEnded(service, idOf(sent.location))
  const failed = await cashier.get(sent.location)
  assert.match(mainOf(failed), /Not paid Too little money on the phone\. No money was taken\. Ask for another number/)
  const again = await cashier.get(`${ASK}?again=${idOf(sent.location)}`)
  const { amount, reference, phone: number } = formOf(again, '/ask').fields
  assert.deepEqual([amount, reference, number?.replaceAll(' ', '')], ['7000', 'soap', `0${phone.slice(-9)}`])
})

test('a double tap is one prompt, and what is refused is said beside its field with nothing made', async () => {
  const owner = await signedInAs(service, shop.merchant)
  const before = (await chargesOf()).length
  const seen = await owner.send(await owner.get(ASK), '/ask', { amount: '9000', phone: newPayer(), reference: '' })
  const [one, other] = await Promise.all([owner.send(seen, '/ask'), owner.send(seen, '/ask')])
  assert.equal(one.location, other.location)
  assert.equal((await chargesOf()).length, before + 1)
  await succeed(service, idOf(one.location))
  for (const [wrong, says] of [
    [{ amount: '200', phone: newPayer() }, /fee exceeds amount/],
    [{ amount: '5000', phone: '12' }, /phone/],
    [{ amount: '5000', phone: '' }, /Customer's number: fill this in/],
    [{ amount: 'lots', phone: newPayer() }, /Write an amount in whole shillings/],
  ] as const) {
    const reply = await askFor(owner, wrong)
    assert.equal(reply.status, 400)
    assert.match(mainOf(reply), says)
    assert.equal(formOf(reply, '/ask').fields.amount, wrong.amount)
  }
  assert.equal((await chargesOf()).length, before + 1)
})

test('a QR code over the same amount needs no number, and its page follows the payment', async () => {
  const till = await tillOf(service, shop.merchant)
  const page = await till.get('/dashboard/test/ask')
  const { fields } = formOf(page, '/ask')
  const sent = await till.post('/dashboard/test/ask', {
    ...fields,
    amount: '12,000',
    phone: '',
    reference: 'rice',
    by: 'qr',
  })
  const shown = await till.follow(sent)
  assert.match(mainOf(shown), /UGX 12,000 rice .*Nobody has begun to pay yet/)
  assert.match(shown.text, /<svg class="qr"/)
  const link = (await shop.test.get(`/v1/payment-links/${idOf(sent.location)}`)).body
  assert.deepEqual([link.amount, link.allow_multiple_uses, link.reference], [12_000, false, 'rice'])
  const tooMuch = await till.get(ASK)
  const unpayable = await till.post(ASK, {
    ...formOf(tooMuch, '/ask').fields,
    amount: '90,000,000',
    phone: '',
    by: 'qr',
  })
  assert.match(mainOf(await till.follow(unpayable)), /The link was made, but no customer can pay this/)
})

test('people who may not ask have neither button nor page; another business finds nothing', async () => {
  const viewer = await signedInAs(service, shop.merchant, { role: 'viewer' })
  assert.equal((await viewer.get(ASK)).status, 403)
  for (const path of ['', '/charges', '/counter'])
    assert.doesNotMatch((await viewer.get(`/dashboard${path}`)).text, /Ask for a payment/)
  const owner = await signedInAs(service, shop.merchant)
  const sent = await askFor(owner, { amount: '5000', phone: newPayer() })
  await succeed(service, idOf(sent.location))
  const stranger = await signedInAs(service, (await service.shop()).merchant)
  for (const path of [
    sent.location,
    `${ASK}?again=${idOf(sent.location)}`,
    sent.location.replace('/ask/', '/test/ask/'),
  ])
    assert.equal((await stranger.get(path)).status, 404)
})

longTest(
  'on a phone: the keypad, three taps after the amount, a page that follows, and nothing under 44 pixels',
  ON_BROWSER,
  async () => {
    const [cookie] = (await tillOf(service, shop.merchant)).cookies()
    const browser = await launchBrowser()
    try {
      const { context, page, troubles } = await newVisitor(browser, { size: 'phone', own: [service.url] })
      await context.addCookies([{ name: cookie?.name ?? '', value: cookie?.value ?? '', url: service.url }])
      await page.goto(`${service.url}/dashboard/test/counter`)
      await page.getByText('Ask for a payment').click()
      for (const key of ['1', '5', '00', '0', 'Erase the last digit', '0'])
        await page.getByRole('button', { name: key, exact: true }).click()
      assert.equal(await page.getByLabel('Amount').inputValue(), '15,000')
      await page.getByLabel("Customer's number").fill('0700000000')
      await page.getByRole('button', { name: 'Ask now' }).click()
      await page.getByText('Waiting for the PIN').waitFor()
      await decided()
      await page.getByText('UGX 15,000 from 0700 000 000 has arrived.').waitFor({ timeout: 30_000 })
      await page.getByRole('link', { name: 'Next customer' }).click()
      for (const box of await page.locator('main button, main .button').all()) {
        const at = await box.boundingBox()
        assert.ok(at !== null && at.height >= 44, `${await box.textContent()} is ${at?.height} pixels high`)
      }
      assert.deepEqual(troubles(), [])
    } finally {
      await browser.close()
    }
  },
)
