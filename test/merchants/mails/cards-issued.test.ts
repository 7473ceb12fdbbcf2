import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { type Browser, unescaped } from '../../helpers/web/browser.ts'
import { signedInAs } from '../../helpers/web/dashboard.ts'
import { mailsTo } from '../../helpers/web/mailed.ts'

const service = openedAndVerified(() => startService())
const CARDS = '/dashboard/gift-cards'

const issue = async (owner: Browser) => {
  const page = await owner.get(`${CARDS}/issue`)
  const form = page.forms.find(({ action }) => unescaped(action).split('#')[0] === `${CARDS}/issue`)
  assert.ok(form)
  return { ...form.fields, value: '50,000', quantity: '3' }
}

test('every owner hears by mail once that gift cards were issued, by whom and for how much', async () => {
  const shop = await service.merchant({ name: 'Card Shop', verified: true })
  const [owner, other] = [await signedInAs(service, shop), await signedInAs(service, shop)]
  const cashier = await signedInAs(service, shop, { role: 'cashier' })
  const fields = await issue(owner)
  const made = await owner.post(`${CARDS}/issue`, fields)
  assert.equal(made.status, 200, made.text)
  // The same form again: sent twice, or the answer was lost.
  await owner.post(`${CARDS}/issue`, fields)
  for (const { email } of [owner, other]) {
    const mails = (await mailsTo(service, email)).filter(({ template }) => template === 'cards-issued')
    assert.deepEqual(
      mails.map(({ values }) => [values.business, values.who, values.count, values.each, values.all]),
      [[shop.handle, owner.email, '3', 'UGX 50,000', 'UGX 150,000']],
    )
  }
  assert.deepEqual(await mailsTo(service, cashier.email), [])
})
