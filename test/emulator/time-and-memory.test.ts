import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { Book, type Transaction } from '../../emulator/book.ts'
import { seeded, spread } from '../../emulator/chance.ts'
import { virtualClock } from '../../emulator/clock.ts'
import { type EmulatorOptions, startEmulator } from '../../emulator/emulator.ts'
import { PROFILES } from '../../emulator/profiles.ts'
import { sized } from '../helpers/service/parts.ts'
import { partnerOf, partyOf, paymentBody, withOperator } from './partner.ts'

// What does not depend on chance or on the machine: runs repeat, days are short, files and oracle keep the truth.
const DAY = 24 * 3_600_000
const LONGEST_ANSWER_MS = 5000

/** A day of payments under chance: everything that the operator did. */
async function day(seed: number) {
  const emulator = await startEmulator({ clock: 'virtual', statusCap: null, decide: 'profile', seed })
  const partner = partnerOf(emulator)
  /** Sends a request and moves the clock only when it has arrived, always by the same. */
  const inStep = async <Answer>(call: Promise<Answer>): Promise<Answer> => {
    const arrived = emulator.journal().length
    while (emulator.journal().length === arrived) await new Promise((resolve) => setImmediate(resolve))
    await emulator.advance(LONGEST_ANSWER_MS)
    return call
  }
  const { user, secret } = emulator.credentials.collection
  const basic = Buffer.from(`${user}:${secret}`).toString('base64')
  const asked = partner.call('POST', '/collection/token/', { headers: { authorization: `Basic ${basic}` } })
  const headers = { authorization: `Bearer ${(await inStep(asked)).body.access_token}` }
  for (let nth = 10; nth < 40; nth += 1) {
    const reference = `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`
    await inStep(
      partner.call('POST', '/collection/v1_0/requesttopay', {
        headers: { ...headers, 'x-reference-id': reference },
        body: paymentBody(emulator, 'collection', partyOf('collection', `2567720000${nth}`)),
      }),
    )
  }
  await emulator.advance(DAY)
  const told = emulator.transactions().map(({ status, reason, endedMs }) => [status, reason, endedMs])
  const journal = emulator.journal()
  await emulator.close()
  return { journal, told }
}

test('the same seed and inputs give identical journals and ends, another seed gives others', async () => {
  const [first, second, other] = [await day(7), await day(7), await day(8)]
  const answered = (run: typeof first) => run.told
  assert.deepEqual(answered(first), answered(second))
  assert.deepEqual(first.journal.map(plain), second.journal.map(plain))
  assert.notDeepEqual(answered(first), answered(other))
})
const plain = ({ headers, ...entry }: { headers: Record<string, string> }) => {
  const { host, ...rest } = headers
  return { ...entry, headers: rest }
}

test('what is due runs in the order of its time, and of its planning where the time is the same', async () => {
  const clock = virtualClock()
  const ran: string[] = []
  clock.after(DAY, () => void ran.push('a day'))
  clock.after(50, () => {
    ran.push('50')
    clock.after(10, () => void ran.push('60'))
  })
  clock.after(60, () => void ran.push('first 60'))
  await clock.advance(DAY - 1)
  assert.deepEqual(ran, ['50', 'first 60', '60'])
  await clock.advance(1)
  assert.equal(ran.at(-1), 'a day')
})

test('a day with a thousand payments passes in order', () =>
  withOperator({ decide: 'profile' }, async (emulator) => {
    const ran: number[] = []
    for (let nth = 0; nth < 1000; nth += 1)
      emulator.clock.after(((nth * 7919) % 1000) * 86_400, () => void ran.push(emulator.clock.nowMs()))
    const from = emulator.clock.nowMs()
    await emulator.advance(DAY)
    assert.equal(ran.length, 1000)
    assert.deepEqual(
      ran,
      [...ran].sort((a, b) => a - b),
    )
    assert.equal(emulator.clock.nowMs() - from, DAY)
  }))

test('the latencies of Uganda have the medians and tails that are said', () => {
  const chance = seeded(3)
  const sorted = Array.from({ length: 20_000 }, () => spread(chance, 18_000, 120_000)).sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * sorted.length)] ?? 0
  assert.ok(Math.abs(at(0.5) - 18_000) < 1000, `median ${at(0.5)}`)
  assert.ok(Math.abs(at(0.95) - 55_000) < 5000, `p95 ${at(0.95)}`)
  const fates = Array.from({ length: 20_000 }, () => PROFILES.mtnuganda.callback(chance).times)
  const share = (times: number) => fates.filter((fate) => fate === times).length / fates.length
  assert.ok(Math.abs(share(0) - 0.03) < 0.006 && Math.abs(share(2) - 0.02) < 0.005)
  const expired = Array.from({ length: 20_000 }, () => PROFILES.mtnuganda.approvalMs(chance)).filter(
    (one) => one === null,
  )
  assert.ok(Math.abs(expired.length / 20_000 - 0.04) < 0.006)
})

test('where the profile decides, limits hold: of a payment and of a wallet', () =>
  withOperator({ decide: 'at once', limits: { payment: 5_000_000, wallet: 20_000_100 } }, async (emulator, partner) => {
    const out = partnerOf(emulator, 'disbursement')
    const large = await partner.pay({ amount: '5000001' })
    assert.equal((await partner.ask(large.reference)).body.reason, 'PAYER_LIMIT_REACHED')
    const full = await out.pay({ amount: '101' })
    assert.equal((await out.ask(full.reference)).body.reason, 'PAYEE_LIMIT_REACHED')
    assert.equal((await out.ask((await out.pay({ amount: '100' })).reference)).body.status, 'SUCCESSFUL')
  }))

test('a state file brings everything back, and what was open goes on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'emulator-'))
  const options: EmulatorOptions = {
    clock: 'virtual',
    statusCap: null,
    stateFile: join(folder, 'state.json'),
  }
  const first = await startEmulator(options)
  const partner = partnerOf(first)
  const done = await partner.pay()
  await first.resolve(done.reference, { status: 'SUCCESSFUL' })
  const open = await partner.pay(partyOf('collection', '256770000053'))
  const burnt = await partner.pay({ amount: '0' })
  const before = first.oracle()
  await first.close()
  const second = await startEmulator(options)
  const again = partnerOf(second)
  assert.deepEqual(second.oracle(), before)
  assert.equal((await again.pay({}, { reference: burnt.reference })).status, 409)
  await second.advance(180_000)
  assert.deepEqual((await again.ask(open.reference)).body.reason, 'EXPIRED')
  const next = await again.pay()
  await second.resolve(next.reference, { status: 'SUCCESSFUL' })
  const idOf = async (reference: string) => Number((await again.ask(reference)).body.financialTransactionId)
  assert.equal(await idOf(next.reference), (await idOf(done.reference)) + 1, 'its ids go on growing')
  await second.close()
  rmSync(folder, { recursive: true })
})

test('after 100,000 random operations every wallet holds what the movements add up to', () => {
  const chance = seeded(11)
  const pick = <One>(list: readonly One[]) => list[Math.floor(chance() * list.length)] as One
  const book = new Book(virtualClock(), { opening: 50_000, endless: false, most: 2000 })
  book.wallets.set('disbursement', 5_000_000)
  const open: Transaction[] = []
  for (let nth = 0; nth < sized(10_000, 100_000); nth += 1) {
    const transaction = randomTransaction(nth, pick, chance)
    const act = chance()
    if (act < 0.5) {
      book.add(transaction)
      open.push(transaction)
    } else if (act < 0.9 && open.length > 0) {
      const [one] = open.splice(Math.floor(chance() * open.length), 1)
      if (one) book.end(one, chance() < 0.8 ? { status: 'SUCCESSFUL' } : { status: 'FAILED' })
    } else if (act < 0.95 && book.all()[0]) book.reopen(book.all()[0] as Transaction)
    else if (act < 0.951) book.loseMemory()
    else book.wallets.set(pick(['collection', 'disbursement', transaction.phone]), Math.floor(chance() * 1e6))
  }
  const { wallets, totals, references } = book.oracle()
  assert.deepEqual(wallets, totals)
  const moved = Object.values(references).filter(({ moves }) => moves > 0)
  assert.ok(moved.length > 1000, 'money did move')
  for (const { status } of moved) assert.equal(status, 'SUCCESSFUL')
})

function randomTransaction(nth: number, pick: <One>(list: readonly One[]) => One, chance: () => number): Transaction {
  const operation = pick(['requesttopay', 'transfer', 'deposit', 'requesttowithdraw'] as const)
  const isIn = operation === 'requesttopay' || operation === 'requesttowithdraw'
  return {
    ...{ place: 'first', product: isIn ? 'collection' : 'disbursement', reference: String(nth), operation },
    ...{ amount: 1 + Math.floor(chance() * 5000), currency: 'UGX', externalId: `x${nth}` },
    ...{
      phone: `2567720000${10 + Math.floor(chance() * 50)}`,
      payerMessage: '',
      payeeNote: '',
      callbackUrl: null,
    },
    ...{
      createdMs: 0,
      status: 'PENDING',
      reason: null,
      financialTransactionId: null,
      endedMs: null,
      moves: 0,
    },
    ...{ asked: 0, told: null, answered: 202, rule: chance() < 0.01 ? { executeTwice: true } : null },
  }
}
