import assert from 'node:assert/strict'
import { moveCharge } from '../../../src/payments/charges/move-charge.ts'
import { findUsableCard } from '../../../src/payments/gift-cards/find-card.ts'
import { monthBounds } from '../../../src/platform/time/kampala.ts'
import { payByCard, sumsOf } from '../../helpers/payments/gift-cards.ts'
import { type Payer, payer } from '../../helpers/payments/schedules.ts'
import { assertRefused, oneJson } from '../../helpers/service/command-line.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { wordOf } from '../../operations/verify/world-charges.ts'
import { commandsOn } from './commands-on.ts'

const service = openedAndVerified(() => startService())
const { run, json } = commandsOn(service, { first: ['gift-cards'] })
const handleOf = ({ merchant }: Payer) => merchant.handle
const listOf = (own: Payer) => json('list', handleOf(own))
const cardsOf = async ({ merchantId }: Payer) =>
  (
    await service.rows<{ n: number }>('select count(*)::int as n from gift_cards where merchant_id = $1', [merchantId])
  )[0]?.n
const auditOf = (own: Payer) =>
  service.rows<{ action: string; subject: string | null; after: any }>(
    `select action, subject, after from audit where merchant_id = $1 and action ~ '^(card|charge)' order by id`,
    [own.merchantId],
  )
const dayIn = (years: number, days: number) => {
  const day = new Date(service.clock.nowMs() + days * 86_400_000 + 3 * 3_600_000)
  day.setUTCFullYear(day.getUTCFullYear() + years)
  return day.toISOString().slice(0, 10)
}
/** The first moment after a day in Kampala. */
const endOf = (day: string) => new Date(Date.parse(`${day}T00:00:00+03:00`) + 86_400_000).toISOString()

test('gift-cards issue prints the codes once, and each pays in live', async () => {
  const own = await payer(service)
  const { cards, ...rest } = await json(
    'issue',
    handleOf(own),
    '--value',
    '25000',
    '--quantity',
    '3',
    '--notes',
    'Easter',
  )
  assert.deepEqual(rest, {})
  assert.equal(cards.length, 3)
  for (const card of cards) {
    assert.deepEqual(Object.keys(card), ['id', 'code', 'value', 'expires_at'])
    assert.match(card.id, new RegExp(`^gc_${own.tag}[a-z0-9]{16}$`))
    assert.match(card.code, /^[A-HJKMNP-Z2-9]{4}(-[A-HJKMNP-Z2-9]{4}){2}$/)
    assert.deepEqual([card.value, card.expires_at], [25_000, endOf(dayIn(1, 0))], 'a year, to the end of the day')
    const found = await findUsableCard(service.app, {
      merchantId: own.merchantId,
      mode: 'live',
      text: card.code,
    })
    assert.deepEqual([found?.id, found?.balance, found?.notes], [card.id, 25_000, 'Easter'])
  }
  const [audit] = await auditOf(own)
  assert.deepEqual([audit?.action, audit?.after.cards], ['card.issue', cards.map(({ id }: any) => id)])
  const stored = JSON.stringify([await service.rows('select * from gift_cards'), await auditOf(own), await listOf(own)])
  for (const { code } of cards)
    for (const shown of [code, code.replaceAll('-', '')])
      assert.ok(!stored.includes(shown), 'nobody reads a code later')
})

longTest(
  'gift-cards issue with a key: five at once and one later make one set of cards and print the same codes',
  async () => {
    const own = await payer(service)
    const issue = (...more: string[]) =>
      run('issue', handleOf(own), '--value', '500', '--quantity', '50', '--key', 'easter', '--json', ...more)
    const together = await Promise.all(Array.from({ length: 5 }, () => issue()))
    const [first, ...others] = together.map((ran) => oneJson(ran))
    for (const one of [...others, oneJson(await issue())]) assert.deepEqual(one, first)
    assert.equal(await cardsOf(own), 50)
    assertRefused(await issue('--notes', 'other'), { code: 1, says: /idempotency key reused/ })
    assert.equal(await cardsOf(own), 50)
    const sealed = await service.rows<{ answer: Buffer }>(
      `select answer from directory.command_keys where key = 'easter'`,
    )
    assert.ok(!sealed[0]?.answer.includes(first.cards[0].code.slice(0, 9)), 'what the key keeps is sealed')
  },
)

longTest(
  'a repeat finishes what a crash has left, and prints the codes even when no more could be issued',
  async () => {
    const own = await payer(service)
    const issue = () => json('issue', handleOf(own), '--value', '500', '--expires', dayIn(0, 0), '--key', 'crashed')
    const first = await issue()
    await service.rows('delete from gift_cards where merchant_id = $1', [own.merchantId])
    await service.set(own.merchant, { active: false })
    assert.deepEqual(await issue(), first)
    assert.equal(await cardsOf(own), 1)
  },
)

test('a card pays to the end of its day in Kampala', async () => {
  const own = await payer(service)
  const today = dayIn(0, 0)
  const { cards } = await json('issue', handleOf(own), '--value', '500', '--expires', today)
  assert.equal(cards[0].expires_at, endOf(today))
  const last = await json('issue', handleOf(own), '--value', '500', '--expires', '9999-12-31')
  assert.equal(last.cards[0].expires_at, monthBounds('9999-12')?.end.toISOString())
  const { stdout } = await run('issue', handleOf(own), '--value', '500', '--expires', today)
  assert.match(stdout, new RegExp(`until ${today}\\n`))
})

test('gift-cards issue refuses what may not be, and stores nothing', async () => {
  const own = await payer(service)
  const name = handleOf(own)
  for (const [args, code, says] of [
    [[name, '--value', '0'], 2, /--value must be a whole number from 1/],
    [[name, '--value', '-5'], 2, /--value/],
    [[name, '--value', '1.5'], 2, /--value must be a whole number/],
    [[name], 2, /--value is required/],
    [[name, '--value', '1000000001'], 1, /value exceeds the maximum of 1000000000/],
    [[name, '--value', '500', '--quantity', '0'], 2, /--quantity must be a whole number from 1 to 50/],
    [[name, '--value', '500', '--quantity', '51'], 2, /--quantity must be a whole number from 1 to 50/],
    [[name, '--value', '500', '--expires', '2026-02-30'], 2, /--expires must be a day, YYYY-MM-DD/],
    [[name, '--value', '500', '--expires', '31-12-2030'], 2, /--expires must be a day/],
    [[name, '--value', '500', '--expires', dayIn(0, -1)], 1, /expires must not lie in the past/],
    [[name, '--value', '500', '--notes', 'x'.repeat(1001)], 1, /notes must be at most 1000 characters/],
    [[name, '--value', '500', '--key', ''], 2, /--key must be 1 to 255 characters/],
    [['nobody-at-all', '--value', '500'], 1, /there is no merchant called nobody-at-all/],
  ] as [string[], number, RegExp][])
    assertRefused(await run('issue', ...args), { code, says })
  await service.set(own.merchant, { active: false })
  assertRefused(await run('issue', name, '--value', '500'), { code: 1, says: /merchant is not active/ })
  assert.equal(await cardsOf(own), 0)
  assert.deepEqual(await auditOf(own), [])
})

test('gift-cards list shows what each card has and is, newest first, and never a code', async () => {
  const own = await payer(service)
  const issued: any[] = []
  for (const value of ['1000', '2000', '30000']) {
    const { cards } = await json('issue', handleOf(own), '--value', value, '--notes', `no ${value}`)
    issued.unshift(cards[0])
  }
  const [used, spent, plain] = issued
  await payByCard(service, own, { cardId: used.id, amount: 10_000, applied: 4000 })
  await payByCard(service, own, { cardId: spent.id, amount: 2000, applied: 2000 })
  await service.rows('update gift_cards set expires_at = created_at where id = $1', [plain.id])
  const listed = await listOf(own)
  assert.deepEqual(
    listed.map(({ id, last_four, value, remaining, reserved, state, notes }: any) => [
      id,
      last_four,
      value,
      remaining,
      reserved,
      state,
      notes,
    ]),
    [
      [used.id, used.code.slice(-4), 30_000, 26_000, 4000, 'active', 'no 30000'],
      [spent.id, spent.code.slice(-4), 2000, 0, 0, 'spent', 'no 2000'],
      [plain.id, plain.code.slice(-4), 1000, 1000, 0, 'expired', 'no 1000'],
    ],
  )
  assert.equal(listed[0].expires_at, used.expires_at)
  const { stdout } = await run('list', handleOf(own))
  assert.match(
    stdout,
    new RegExp(`^${used.id}  \\.\\.\\.${used.code.slice(-4)}  active  26000 of 30000, 4000 reserved, until`),
  )
  for (const { code } of issued) assert.ok(!`${stdout}${JSON.stringify(listed)}`.includes(code.slice(0, 9)))
})

test('gift-cards deactivate stops a card, what it has set aside stays, and activate undoes it; each may be repeated', async () => {
  const [own, stranger] = [await payer(service), await payer(service)]
  const { cards } = await json('issue', handleOf(own), '--value', '30000')
  const [{ id, code }] = cards
  await payByCard(service, own, { cardId: id, amount: 10_000, applied: 4000 })
  const find = () => findUsableCard(service.app, { merchantId: own.merchantId, mode: 'live', text: code })
  const change = (verb: string, whose = own) => run(verb, handleOf(whose), '--card', id, '--json')
  const off = oneJson(await change('deactivate'))
  assert.deepEqual([off.id, off.state, off.remaining, off.reserved], [id, 'deactivated', 26_000, 4000])
  assert.deepEqual(oneJson(await change('deactivate')), off)
  assert.equal(await find(), null)
  assert.deepEqual(await sumsOf(service, id), [26_000, 4000, 0])
  assertRefused(await change('activate', stranger), { code: 1, says: /gift card not found/ })
  assert.equal(await find(), null)
  for (let time = 0; time < 2; time += 1) assert.equal(oneJson(await change('activate')).state, 'active')
  assert.equal((await find())?.id, id)
  for (const card of ['gc_nothing', `gc_${own.tag}${'0'.repeat(16)}`, ''])
    assertRefused(await run('deactivate', handleOf(own), '--card', card), {
      code: card === '' ? 2 : 1,
      says: card === '' ? /--card is required/ : /gift card not found/,
    })
  const actions = (await auditOf(own)).map(({ action }) => action)
  assert.deepEqual(actions, ['card.issue', 'card.switch', 'card.switch', 'card.switch', 'card.switch'])
})

test('C6 gift-cards restore gives a card back what it paid in full, once, and refuses what moves money', async () => {
  const [own, stranger] = [await payer(service), await payer(service)]
  const [{ id }] = (await json('issue', handleOf(own), '--value', '30000')).cards
  const whole = await payByCard(service, own, { cardId: id, amount: 10_000, applied: 10_000 })
  const part = await payByCard(service, own, { cardId: id, amount: 10_000, applied: 4000 })
  await moveCharge(service.app, {
    charge: part,
    to: { status: 'succeeded', railTransactionId: '4711' },
    alongside: wordOf(part, 'succeeded'),
  })
  const restore = (charge: string, whose = own) => run('restore', handleOf(whose), '--charge', charge, '--json')
  assertRefused(await restore(whole.id, stranger), { code: 1, says: /charge not found/ })
  assertRefused(await restore(part.id), { code: 1, says: /not paid by a gift card alone/ })
  assert.deepEqual(await sumsOf(service, id), [16_000, 0, 14_000])
  assert.deepEqual(oneJson(await restore(whole.id)), {
    ...{ charge_id: whole.id, status: 'refunded', gift_card_restored: 10_000, refund: null },
  })
  assertRefused(await restore(whole.id), { code: 1, says: /already_refunded/ })
  assert.deepEqual(await sumsOf(service, id), [26_000, 0, 4000])
  const [, ...audited] = await auditOf(own)
  assert.deepEqual(audited, [
    { action: 'charge.refund', subject: whole.id, after: { amount: 0, gift_card: 10_000, payout: null } },
  ])
})
