import assert from 'node:assert/strict'
import test from 'node:test'
import type { PersonCaller } from '../../../../src/api/access/actor.ts'
import { requestSchedule } from '../../../../src/payments/scheduled-payouts/request-schedule.ts'
import { isSending, makeSchedule, reviewOf } from '../../../helpers/payments/making-schedules.ts'
import { richShop, startPayingService } from '../../../helpers/payments/payouts.ts'
import { approve, crewed } from '../../../helpers/payments/preparing.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { formOf } from '../../../helpers/web/browser.ts'
import { anotherBrowser, mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startPayingService())
const PAYROLL = '/dashboard/payroll'

test('before a schedule is made a page says what a cycle takes, what there is and when the first one runs; nothing is written', async () => {
  const { merchant } = await richShop(service, 30_000)
  const anna = await signedInAs(service, merchant)
  const before = await service.digest()
  const later = await reviewOf(anna, { amount: '20,000' })
  assert.equal(later.status, 200, mainOf(later))
  assert.match(
    mainOf(later),
    /Each cycle takes UGX 40,600 for 2 people.*Together UGX 40,000 Fees UGX 600.*Available now UGX 30,000.*First time 6 Jan 2031, 09:30/,
  )
  assert.match(mainOf(later), /UGX 10,600 is missing for one cycle.*Akello Grace/)
  const now = await reviewOf(anna, { start: '' })
  assert.match(mainOf(now), /No first date was chosen: everybody is paid at once/)
  for (const [start, clock] of [
    ['2020-01-05', '08:00'],
    [new Date(service.clock.nowMs()).toISOString().slice(0, 10), '00:00'],
  ] as const) {
    const past = await reviewOf(anna, { start, clock })
    assert.equal(past.status, 400, start)
    assert.match(mainOf(past), /start_at has passed .*everybody would be paid at once/)
    assert.equal(formOf(past, '/payroll/check').fields.start, start)
  }
  const tooMuch = await reviewOf(anna, { amount: '9,999,999,999' })
  assert.equal(tooMuch.status, 400)
  assert.match(mainOf(tooMuch), /amount exceeds the maximum/)
  assert.equal(await service.digest(), before)
  const stale = await anotherBrowser(service, anna, 3_600_000)
  const seen = await reviewOf(stale)
  assert.ok(!('confirm' in formOf(seen, '/payroll/check').fields), 'the first step asks for no password')
  assert.ok('confirm' in (seen.forms.find(isSending)?.fields ?? {}))
})

test('a schedule whose first date passes before it is made or approved pays nobody', async () => {
  const { merchant } = await richShop(service)
  const anna = await signedInAs(service, merchant)
  const books = await signedInAs(service, merchant, { role: 'accountant' })
  // Kampala's clock in an hour.
  const inAnHour = new Date(service.clock.nowMs() + 4 * 3_600_000).toISOString()
  const soon = { start: inAnHour.slice(0, 10), clock: inAnHour.slice(11, 16) }
  const prepared = await books.follow(await makeSchedule(books, soon))
  const id = /prep_\w+/.exec(prepared.text)?.[0] ?? ''
  service.pass(20 * 60_000)
  const review = await reviewOf(anna, soon)
  assert.equal(review.status, 200, mainOf(review))
  service.pass(20 * 60_000)
  await anna.get(PAYROLL)
  service.pass(21 * 60_000)
  await service.rows('update sessions set stepped_up_at = $2 where id = $1', [anna.sessionId, service.clock.now()])
  const made = await anna.send(review, review.forms.find(isSending)?.action ?? '')
  assert.equal(made.status, 400, made.location)
  assert.match(mainOf(made), /start_at has passed/)
  const page = await anna.get(`/dashboard/payouts/prepared/${id}`)
  const approved = await anna.send(page, '/approve')
  assert.equal(approved.status, 400, approved.location)
  assert.match(mainOf(approved), /start_at has passed/)
  assert.deepEqual(await service.rows('select 1 from schedules where merchant_id = $1', [anna.merchantId]), [])
})

test('a schedule that was made or approved is answered again after its first date, and another one is still refused', async () => {
  const { anna, books } = await crewed(service, { above: null })
  const startAt = new Date(service.clock.nowMs() + 3_600_000).toISOString()
  const input = {
    ...{ amount: 5000, interval: 'weekly', name: 'wages', start_at: startAt },
    recipients: [{ phone: '0700000000' }],
  }
  const asked = (caller: PersonCaller, key: string) =>
    requestSchedule(service.app, {
      ...{ caller, input, key, fingerprint: Buffer.alloc(32, 3), requestId: 'req_test', note: null },
    })
  const made = await asked(anna, 'wages of anna')
  const { objectId: prepared } = await asked(books, 'wages of books')
  const approved = await approve(service, anna, prepared ?? '')
  service.pass(2 * 3_600_000)
  assert.equal((await asked(anna, 'wages of anna')).objectId, made.objectId)
  assert.equal((await asked(books, 'wages of books')).objectId, prepared)
  assert.equal((await approve(service, anna, prepared ?? '')).objectId, approved.objectId)
  await assert.rejects(asked(anna, 'wages once more'), /start_at has passed/)
})

test('the review of a thousand people is a page of its own too, for this session, an hour, and few of them are kept', async () => {
  const { merchant } = await richShop(service, 4_000_000)
  const anna = await signedInAs(service, merchant)
  const recipients = Array.from({ length: 1000 }, (_, nth) => `07720${10_000 + nth},Worker of the night shift ${nth}`)
  const review = { amount: '1,000', recipients: recipients.join('\n') }
  const first = { name: 'Wages', interval: 'weekly', start: '2031-01-06', clock: '09:30', ...review }
  const form = await anna.get(`${PAYROLL}/new`)
  const sent = await anna.send(form, '/payroll/check', first)
  assert.equal(sent.status, 303, mainOf(sent))
  assert.ok(sent.location.length < 200, sent.location)
  const page = await anna.get(sent.location)
  assert.equal(page.status, 200)
  assert.match(mainOf(page), /for 1000 people/)
  assert.equal((await anna.get(sent.location)).status, 200, 'a step back')
  const other = await anotherBrowser(service, anna)
  assert.doesNotMatch(mainOf(await other.get(sent.location)), /for 1000 people/)
  for (let nth = 0; nth < 6; nth += 1) await anna.send(form, '/payroll/check', first)
  const kept = async () =>
    (await service.rows<{ n: number }>('select count(*)::int as n from directory.form_steps'))[0]?.n
  assert.equal(await kept(), 5)
  service.pass(3 * 3_600_000)
  await service.run('prune')
  assert.equal(await kept(), 0)
})
