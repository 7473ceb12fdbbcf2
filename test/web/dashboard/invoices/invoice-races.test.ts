import assert from 'node:assert/strict'
import { test } from 'node:test'
import { made, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { browserOf } from '../../../helpers/web/browser.ts'
import { signedInAs } from '../../../helpers/web/dashboard.ts'
import { makeInvoice, TWO_LINES } from './making.ts'

const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant({ verified: true }))
const BASE = '/dashboard/test/invoices'

test('invoices that are made at once have numbers without gaps, and each mode counts by itself', async () => {
  const owner = await signedInAs(service, shop)
  const forms = await Promise.all(Array.from({ length: 8 }, () => owner.get(`${BASE}/new`)))
  const sent = await Promise.all(forms.map((form) => owner.send(form, '/invoices/new', TWO_LINES)))
  assert.deepEqual([...new Set(sent.map(({ status }) => status))], [303])
  await makeInvoice(owner, '/dashboard/invoices')
  const rows = await service.rows<{ mode: string; number: number }>(
    'select mode, number from invoices order by mode, number',
  )
  assert.deepEqual(
    rows.filter(({ mode }) => mode === 'test').map(({ number }) => number),
    [1, 2, 3, 4, 5, 6, 7, 8],
  )
  assert.deepEqual(
    rows.filter(({ mode }) => mode === 'live').map(({ number }) => number),
    [1],
  )
})

test('one form that is sent many times at once makes one invoice', async () => {
  const owner = await signedInAs(service, shop)
  const form = await owner.get(`${BASE}/new`)
  const sent = await Promise.all([1, 2, 3, 4].map(() => owner.send(form, '/invoices/new', TWO_LINES)))
  const made = sent.filter(({ status }) => status === 303)
  assert.equal(new Set(made.map(({ location }) => location.split('?')[0])).size, 1)
  assert.equal((await service.rows(`select 1 from invoices where mode = 'test'`)).length, 9)
})

test('an invoice is paid once, however many customers pay it at once', async () => {
  const owner = await signedInAs(service, shop)
  const id = await makeInvoice(owner, BASE)
  const page = await browserOf(service).get(`/pay/${id}`)
  const answers = await Promise.all(
    [1, 2, 3, 4].map((one) =>
      browserOf(service).send(page, '/submit', { channel: 'op1_momo', phone: `070000010${one}` }),
    ),
  )
  assert.ok(answers.every(({ status }) => status === 302))
  service.pass(2000)
  await service.run('follow-charges')
  const charges = await service.rows('select 1 from charges where payment_link_id = $1', [id])
  assert.equal(charges.length, 1)
})
