import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { requestTopUp } from '../../../src/payments/top-ups/request-top-up.ts'
import { requestWithdrawal } from '../../../src/payments/withdrawals/withdraw.ts'
import { setWithdrawalNumber, verifyWithdrawalNumber } from '../../../src/payments/withdrawals/withdrawal-number.ts'
import { movableClock } from '../../../src/platform/time/clock.ts'
import { BY_HAND, owner as ownerAt } from '../../helpers/service/actors.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { payingRail } from '../../helpers/service/paying-rail.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const clock = movableClock()
const rail = {
  ...payingRail(clock),
  lookupAccountHolder: async () => ({ active: true, name: 'NAMATOVU SARAH' }),
}
const service = openedAndVerified(() => startService({ clock, liveRails: { op1_momo: rail } }))

/** A merchant with 995,000 of live money and a verified number. */
async function shop() {
  const merchant = await service.merchant({ verified: true })
  await service.set(merchant, { instantSettlement: true })
  const { merchant: row, app } = await getMerchantNamed(service.gateway, merchant.id)
  const api = service.client(merchant.keys.live)
  await api.charge({ amount: 1_000_000, customer: { phone: newPayer() } })
  service.pass(60_000)
  await service.run('follow-charges')
  await setWithdrawalNumber(app, BY_HAND, { merchantId: row.id, phone: '0772 000 111' })
  await verifyWithdrawalNumber(app, BY_HAND, { merchantId: row.id, phone: '0772 000 111' })
  const ask = (amount: number) => requestWithdrawal(app, BY_HAND, { merchantId: row.id, amount })
  return { merchant, row, ask, app }
}
const stateOf = async (id: string) =>
  (
    await service.rows<{ state: string; note: string | null }>('select state, note from withdrawals where id = $1', [
      id,
    ])
  )[0]

test('withdrawals wait oldest first; the roles of money approve one and reject another with a note that the merchant reads', async () => {
  const { merchant, ask } = await shop()
  const first = await ask(100_000)
  service.pass(1000)
  const second = await ask(200_000)
  const finance = await operatorSignedIn(service, 'finance')
  const page = await finance.get('/console/withdrawals')
  assert.ok(page.text.indexOf(first.id) < page.text.indexOf(second.id))
  const support = await operatorSignedIn(service, 'support')
  const seen = await support.get('/console/withdrawals')
  assert.ok(seen.text.includes(first.id) && !seen.forms.some(({ action }) => action.endsWith('/approve')))
  const csrf = seen.forms.find(({ method }) => method === 'post')?.fields.csrf ?? ''
  assert.equal((await support.post(`/console/withdrawals/${first.id}/approve`, { csrf })).status, 403)
  assert.equal((await finance.send(page, `${first.id}/approve`)).status, 303)
  assert.equal((await finance.send(page, `${second.id}/reject`, { note: '' })).status, 400)
  const note = 'The name on the wallet is another'
  assert.equal((await finance.send(page, `${second.id}/reject`, { note })).status, 303)
  assert.deepEqual(await stateOf(first.id), { state: 'approved', note: null })
  assert.deepEqual(await stateOf(second.id), { state: 'rejected', note })
  const late = await finance.send(page, `${second.id}/approve`)
  assert.equal(late.status, 409)
  assert.match(mainOf(late), /this withdrawal was already rejected/)
  const own = await (await signedInAs(service, merchant)).get('/dashboard/wallet/withdrawals')
  assert.ok(own.text.includes(note) && !own.text.includes(finance.email))
  assert.match(mainOf(await finance.get('/console/withdrawals')), /No withdrawal waits/)
  assert.equal((await finance.post('/console/withdrawals/pout_none/approve', { csrf: 'x' })).status, 403)
})

test('a number waits until somebody has verified the very number that was looked at', async () => {
  const { row, app } = await shop()
  await setWithdrawalNumber(app, BY_HAND, { merchantId: row.id, phone: '0772000222' })
  const finance = await operatorSignedIn(service, 'finance')
  const page = await finance.get('/console/numbers')
  assert.match(mainOf(page), /256772000222/)
  await finance.send(page, `${row.publicId}/ask`)
  assert.match(mainOf(await finance.get('/console/numbers')), /NAMATOVU SARAH/)
  await setWithdrawalNumber(app, BY_HAND, { merchantId: row.id, phone: '0772000333' })
  const changed = await finance.send(page, `${row.publicId}/verify`)
  assert.equal(changed.status, 409)
  assert.match(mainOf(changed), /the merchant has set another number meanwhile/)
  assert.doesNotMatch(mainOf(changed), /NAMATOVU/)
  assert.equal((await finance.send(await finance.get('/console/numbers'), `${row.publicId}/verify`)).status, 303)
  assert.match(mainOf(await finance.get('/console/numbers')), /No number waits/)
})

test('top-ups of all merchants are listed newest first, with masked numbers, and lead both ways', async () => {
  const { row, app } = await shop()
  const caller = ownerAt({ merchantId: row.id, tag: row.tag, cell: app.cell, mode: 'live' })
  const made: string[] = []
  for (let count = 0; count < 27; count += 1) {
    const phone = newPayer()
    const { topUp } = await requestTopUp(app, caller, { merchantId: row.id, amount: 5000 + count, phone })
    made.push(topUp.id)
    service.pass(1000)
  }
  const operator = await operatorSignedIn(service, 'support')
  const ids = (text: string) => [...text.matchAll(/\/console\/payments\/(\w+)"/g)].map(([, id]) => id)
  const first = await operator.get('/console/top-ups')
  assert.deepEqual(ids(first.text), made.toReversed().slice(0, 25))
  assert.doesNotMatch(first.text, /2567801\d{5}/)
  const at = (page: { text: string }, name: string) =>
    new RegExp(`href="([^"]*${name}=[^"]*)"`).exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const second = await operator.get(at(first, 'after'))
  assert.deepEqual(ids(second.text), made.toReversed().slice(25))
  assert.deepEqual(ids((await operator.get(at(second, 'before'))).text), ids(first.text))
  assert.equal((await operator.get('/console/top-ups?after=x')).status, 400)
})
