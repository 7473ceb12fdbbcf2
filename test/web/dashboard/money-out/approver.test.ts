import assert from 'node:assert/strict'
import test from 'node:test'
import { richShop, startPayingService } from '../../../helpers/payments/payouts.ts'
import { newPayer } from '../../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { formOf, hasForm, type Page } from '../../../helpers/web/browser.ts'
import { mainOf, type Planted, signedInAs } from '../../../helpers/web/dashboard.ts'
import { mailsTo } from '../../../helpers/web/mailed.ts'

const service = openedAndVerified(() => startPayingService())
const BASE = '/dashboard/payouts'
const LIMITS = '/dashboard/settings/limits'

async function prepare(person: Planted, fields: Record<string, string>, base = BASE): Promise<Page> {
  const checked = await person.step(await person.get(`${base}/new`), '/check', fields)
  assert.equal(checked.status, 200, mainOf(checked))
  return person.send(checked, '/prepare')
}
const idIn = ({ location }: Page) => /prep_\w+/.exec(location)?.[0] ?? ''

test('an approver sees whose wallet it is, and another name than was typed is marked; no page asks the operator while it is made', async () => {
  const { merchant } = await richShop(service)
  const anna = await signedInAs(service, merchant)
  const books = await signedInAs(service, merchant, { role: 'accountant' })
  for (const [typed, holder, says] of [
    ['Kato Supplier', { active: true, name: 'HOLDER OF 8111' }, /HOLDER OF 8111 another name/],
    ['Okot James', { active: true, name: 'OKOT JAMES' }, /OKOT JAMES/],
    ['Grace', { active: true, name: null }, /the operator tells no name/],
    ['', { active: true, name: 'NAKATO JANE' }, /NAKATO JANE/],
  ] as const) {
    const phone = newPayer()
    service.operator.holds(phone, holder)
    const path = `${BASE}/prepared/${idIn(await prepare(books, { phone, amount: '7,000', name: typed }))}`
    const asked = () =>
      service.operator.journal.filter(({ what, reference }) => what === 'lookup' && reference === phone).length
    const before = asked()
    const page = await anna.get(path)
    assert.match(mainOf(page), /The wallet belongs to.*not asked yet/)
    assert.equal(asked(), before, 'a page that is made asks nobody')
    const part = /data-live="([^"]*part=names)"/.exec(page.text)?.[1] ?? ''
    const heard = await anna.get(part)
    assert.equal(heard.headers.get('x-part'), 'final')
    assert.match(mainOf(heard), says)
    const byButton = await anna.send(page, '/names')
    assert.equal(byButton.status, 200)
    assert.match(mainOf(byButton), says)
    assert.equal(/Look twice/.test(mainOf(byButton)), typed === 'Kato Supplier')
    assert.ok(hasForm(byButton, '/approve'), 'it is approved from there')
  }
  const gone = newPayer()
  const last = idIn(await prepare(books, { phone: gone, amount: '7,000' }))
  service.operator.holds(gone, { active: false, name: null })
  assert.match(mainOf(await anna.get(`${BASE}/prepared/${last}?part=names`)), /Look twice.*no active wallet/)
  service.operator.onLookup({ answer: 'error' })
  assert.match(mainOf(await anna.get(`${BASE}/prepared/${last}?part=names`)), /does not say now/)
  service.operator.onLookup({ answer: 'book' })
  const viewer = await signedInAs(service, merchant, { role: 'viewer' })
  assert.equal((await viewer.get(`${BASE}/prepared/${last}?part=names`)).status, 403)
  assert.doesNotMatch((await viewer.get(`${BASE}/prepared/${last}`)).text, /part=names|\/names[#"]/)
})

test('the other owners hear by one mail that real money waits for them; whoever prepared it does not', async () => {
  const { merchant } = await richShop(service)
  const [anna, ben] = [await signedInAs(service, merchant), await signedInAs(service, merchant)]
  const books = await signedInAs(service, merchant, { role: 'accountant' })
  const told = async ({ email }: Planted) =>
    (await mailsTo(service, email)).filter(({ template }) => template === 'approval-waits')
  const checked = await books.step(await books.get(`${BASE}/new`), '/check', {
    phone: newPayer(),
    amount: '7,000',
  })
  const fields = formOf(checked, '/prepare').fields
  const sent = await books.post(`${BASE}/prepare`, fields)
  await books.post(`${BASE}/prepare`, fields)
  for (const owner of [anna, ben]) {
    const [mail, ...more] = await told(owner)
    assert.deepEqual(more, [])
    assert.deepEqual([mail?.values.who, mail?.values.amount], [books.email, 'UGX 7,000'])
    assert.ok(mail?.values.link?.endsWith(`/dashboard/payouts/prepared/${idIn(sent)}`))
  }
  assert.deepEqual(await told(books), [])
  await anna.send(await anna.get(LIMITS), '/checker', { above: '1,000' })
  const own = await anna.step(await anna.get(`${BASE}/new`), '/check', { phone: newPayer(), amount: '5,000' })
  await anna.send(own, '/send')
  assert.equal((await told(anna)).length, 1, 'not of what she prepared herself')
  assert.equal((await told(ben)).length, 2)
})

test('the rule of the second person is refused where there is nobody to be the second one', async () => {
  const { merchant } = await richShop(service)
  const anna = await signedInAs(service, merchant)
  await signedInAs(service, merchant, { role: 'accountant' })
  const refused = await anna.send(await anna.get(LIMITS), '/checker', { above: '50,000' })
  assert.equal(refused.status, 400)
  assert.match(mainOf(refused), /above needs a second owner: .* Invite one under People first/)
  assert.match(mainOf(await anna.get(LIMITS)), /No second person is needed now/)
  await signedInAs(service, merchant)
  const set = await anna.follow(await anna.send(await anna.get(LIMITS), '/checker', { above: '50,000' }))
  assert.match(mainOf(set), /More than UGX 50,000 needs a second person/)
})
