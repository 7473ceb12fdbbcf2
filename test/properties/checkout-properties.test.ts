import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { openForm, payment, sendForm, voucher } from '../crash/forms.ts'
import { somebodyWaits } from '../helpers/database/lock-waits.ts'
import { assertVerified, type LiveService, startLiveService } from '../helpers/service/live-service.ts'
import { sized } from '../helpers/service/parts.ts'
import {
  act,
  CARD_VALUES,
  type Counter,
  chargesOf,
  decide,
  LINKS,
  newCounter,
  type Pay,
  type Step,
  step,
} from './checkout-histories.ts'

let service: LiveService
before(async () => {
  service = await startLiveService()
})
after(() => service.close())

/** The expected state, computed only from the rules of the specification. */
type Attempt = { status: string; card: number | null; applied: number }
type Model = {
  links: { on: boolean; attempts: Attempt[] }[]
  cards: { on: boolean; balance: number; reserved: number; spent: number }[]
  expired: boolean
}
const newModel = (): Model => ({
  links: LINKS.map(() => ({ on: true, attempts: [] })),
  cards: CARD_VALUES.map((balance) => ({ on: true, balance, reserved: 0, spent: 0 })),
  expired: false,
})

const stands = ({ status }: Attempt) => status !== 'failed'

/** Changes the model as the step must; returns the statuses that the answers may have. */
function foresee(model: Model, one: Step): number[] {
  switch (one.do) {
    case 'pay':
      return foreseePayment(model, one)
    case 'decide':
      for (const { attempts } of model.links)
        for (const attempt of attempts)
          if (attempt.status === 'authorized') end(model, attempt, one.pays ? 'succeeded' : 'failed')
      return []
    case 'refund': {
      const paid = model.links[one.link]?.attempts.filter(({ status }) => status === 'succeeded').at(-1)
      if (!paid) return [400]
      end(model, paid, 'refunded')
      // What a card paid in full goes back on it at once: no payout follows.
      return [paid.applied === LINKS[one.link]?.amount ? 200 : 202]
    }
    case 'retry':
      return [302]
    case 'link':
      Object.assign(model.links[one.link] as object, { on: one.on })
      return []
    case 'card':
      Object.assign(model.cards[one.card] as object, { on: one.on })
      return []
    case 'expire':
      model.expired = true
      return []
  }
}

function foreseePayment(model: Model, { link, card, payer }: Pay): number[] {
  const { amount, allow_multiple_uses: reusable } = LINKS[link] as (typeof LINKS)[number]
  const own = model.links[link] as Model['links'][number]
  if (!reusable && own.attempts.some(stands)) return [302]
  if (!own.on) return [409]
  const holder = card === null ? undefined : model.cards[card]
  const usable = holder?.on && !model.expired ? holder.balance : 0
  const applied = usable >= amount ? amount : Math.max(0, Math.min(usable, amount - 500))
  const attempt: Attempt = { status: 'authorized', card: applied > 0 ? card : null, applied }
  if (applied < amount && payer === 'not served') return [302, 502]
  if (holder) Object.assign(holder, { balance: holder.balance - applied, reserved: holder.reserved + applied })
  own.attempts.push(attempt)
  if (applied === amount) end(model, attempt, 'succeeded')
  else if (payer === 'refused') end(model, attempt, 'failed')
  return [302]
}

/** The reserved part is spent or released; a refund puts the spent part back. */
function end(model: Model, attempt: Attempt, status: 'succeeded' | 'failed' | 'refunded'): void {
  const { applied } = attempt
  attempt.status = status
  const card = attempt.card === null ? undefined : model.cards[attempt.card]
  if (!card) return
  if (status === 'refunded') card.spent -= applied
  else card.reserved -= applied
  if (status === 'succeeded') card.spent += applied
  else card.balance += applied
}

async function assertModel(model: Model, counter: Counter): Promise<void> {
  const has = await cardsOf(counter)
  assert.deepEqual(
    has,
    model.cards.map(({ balance, reserved, spent }) => [balance, reserved, spent]),
  )
  for (const [nth, { attempts }] of model.links.entries()) {
    const seen = (await chargesOf(counter, nth)).map((row) => `${row.status} ${row.card}`).sort()
    assert.deepEqual(seen, attempts.map(({ status, applied }) => `${status} ${applied}`).sort(), `link ${nth}`)
  }
}

async function cardsOf({ cards }: Counter): Promise<number[][]> {
  const rows = await service.rows<{ id: string; sums: number[] }>(
    'select id, array[balance, reserved, spent]::int[] as sums from gift_cards where id = any($1)',
    [cards.map(({ id }) => id)],
  )
  return cards.map(({ id }) => rows.find((row) => row.id === id)?.sums ?? [])
}

/** To repeat a failed run, write the printed number here. */
const newSeed = () => Math.floor(performance.timeOrigin) % 1_000_000_000

test('histories of links and gift cards, one step at a time, match the model', async () => {
  const seed = newSeed()
  console.log(`histories at pages of seed ${seed}`)
  const history = fc.tuple(
    fc.array(step, { minLength: 15, maxLength: 40, size: 'max' }),
    fc.array(step, { minLength: 2, maxLength: 6 }),
  )
  await fc.assert(
    fc.asyncProperty(history, async ([early, late]) => {
      const counter = await newCounter(service)
      const model = newModel()
      for (const one of [...early, { do: 'expire' as const }, ...late]) {
        const may = foresee(model, one)
        for (const status of await act(one, counter)) assert.ok(may.includes(status), `${one.do}: ${status}`)
        await assertModel(model, counter)
      }
      await assertVerified(service)
    }),
    { seed, numRuns: sized(1, 8), endOnFailure: true, includeErrorInReport: true },
  )
})

const busy = fc.array(step, { minLength: 2, maxLength: 5 })
const TOLD = [200, 202, 302, 400, 409, 502]

test('histories in which several things happen at once break no rule of links, cards and money', async () => {
  const seed = newSeed()
  console.log(`histories at once of seed ${seed}`)
  await fc.assert(
    fc.asyncProperty(fc.array(busy, { minLength: 8, maxLength: 20, size: 'max' }), async (groups) => {
      const counter = await newCounter(service)
      for (const group of groups) {
        const statuses = (await Promise.all(group.map((step) => act(step, counter)))).flat()
        for (const status of statuses) assert.ok(TOLD.includes(status), `answered ${status}`)
        await assertRules(counter)
      }
      await decide(service, true)
      await assertRules(counter)
      await assertVerified(service)
      for (const [reference, times] of service.operator.movements())
        assert.equal(times, 1, `the operator moved ${reference} once`)
    }),
    { seed, numRuns: sized(1, 8), endOnFailure: true, includeErrorInReport: true },
  )
})

/** The balance of a card follows from its charges alone, and a one-shot link has at most one charge that stands. */
async function assertRules(counter: Counter): Promise<void> {
  const charges = await Promise.all(counter.links.map((_, nth) => chargesOf(counter, nth)))
  for (const [nth, own] of charges.entries())
    if (!LINKS[nth]?.allow_multiple_uses)
      assert.ok(own.filter(({ status }) => status !== 'failed').length <= 1, JSON.stringify(own))
  const sums = await service.rows<{ value: number; left: number; held: number }>(
    `select g.value::int, g.balance::int as left, coalesce(sum(u.amount), 0)::int as held
     from gift_cards g left join (gift_card_uses u join charges c on c.merchant_id = u.merchant_id and c.id = u.charge_id
       and c.voided_at is null and c.status in ('pending', 'authorized', 'succeeded'))
       on u.merchant_id = g.merchant_id and u.card_id = g.id
     where g.id = any($1) group by g.merchant_id, g.id`,
    [counter.cards.map(({ id }) => id)],
  )
  for (const { value, left, held } of sums) assert.equal(left, value - held)
}

test('a payment that a card covers waits while its month is being closed, and is dated in the open one', async () => {
  const counter = await newCounter(service)
  const [cheap = ''] = counter.links
  const { cookie } = await sendForm(service.url, voucher(cheap, counter.cards[0]?.code ?? ''))
  const form = await openForm(service.url, cheap, { cookie })
  assert.ok(form)
  const closer = new pg.Client({ connectionString: service.database.url, options: '-c search_path=cell_0' })
  await closer.connect()
  try {
    await closer.query('begin')
    await closer.query('select 1 from ledger_heads where merchant_id = $1 for update', [counter.row.id])
    const paying = sendForm(service.url, payment(cheap, form))
    await somebodyWaits(service)
    const end = new Date(service.clock.nowMs() + 1000)
    await closer.query('update ledger_heads set closed_until = $2 where merchant_id = $1', [counter.row.id, end])
    service.pass(2000)
    await closer.query('commit')
    assert.equal((await paying).status, 302)
    const [charge] = await service.rows<{ created_at: Date; completed_at: Date; status: string }>(
      'select created_at, completed_at, status from charges where payment_link_id = $1',
      [cheap],
    )
    assert.equal(charge?.status, 'succeeded')
    assert.ok(charge.created_at > end, 'a moment of the closed month is not in its statement any more')
    assert.deepEqual(charge.created_at, charge.completed_at)
  } finally {
    await closer.end()
  }
})
