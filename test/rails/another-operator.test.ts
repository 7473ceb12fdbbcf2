import assert from 'node:assert/strict'
import test from 'node:test'
import { ECHOES, type Echo, type Rail } from '../../src/rails/rail.ts'
import { transfersOf } from '../helpers/database/money-rows.ts'
import { followUntilEnded } from '../helpers/payments/following-charges.ts'
import { contractOf } from '../helpers/service/http-rail.ts'
import { newPayer } from '../helpers/service/live-service.ts'
import { opened } from '../helpers/service/opened.ts'
import { startService } from '../helpers/service/test-service.ts'

// An operator of another kind (rails.md 3.14): its ids have neither dash nor underscore, and its enquiry may repeat nothing.
type Told = {
  amount: number | null
  currency: string | null
  phone: string | null
  externalId: string | null
}
const NOTHING: Told = { amount: null, currency: null, phone: null, externalId: null }
const book = new Map<string, { number: string | null; told: Told }>()
const posted: string[] = []
let echoes: readonly Echo[] = []

/** The form of the reference that travels: the operator takes letters and digits only. */
const travelling = (reference: string) => reference.replaceAll('-', '')
const heard = (operation: 'submit' | 'status') =>
  ({ at: new Date(0), operation, elapsedMs: 0, stage: 'answered' }) as const

const rail: Rail = {
  name: 'another operator',
  simulated: false,
  get installations() {
    return [{ ...contractOf('ug-other'), echoes, callbacks: 'one address' as const }]
  },
  collect: {
    submit: async ({ reference }) => {
      assert.match(travelling(reference), /^[A-Za-z0-9]{4,64}$/)
      posted.push(travelling(reference))
      return { kind: 'accepted', repeated: false, evidence: heard('submit') }
    },
    status: async ({ reference }) => {
      const known = book.get(travelling(reference))
      if (!known) return { kind: 'pending', evidence: heard('status') }
      return { kind: 'succeeded', railTransactionId: known.number, ...known.told, evidence: heard('status') }
    },
  },
  readiness: async () => ({ kind: 'ready', installation: 'ug-other' }),
}
const service = opened(() => startService({ liveRails: { op1_momo: rail } }))

/** A charge about which the operator says this, and what became of it. */
async function chargeTold(own: readonly Echo[], told: Partial<Told>, number: string | null = '4711') {
  echoes = own
  const merchant = await service.merchant({ verified: true })
  const client = service.client(merchant.keys.live)
  const phone = newPayer()
  const { body } = await client.charge({ amount: 5000, customer: { phone } })
  assert.equal(posted.at(-1), travelling(body.rail_reference), 'the stored reference stays a UUID')
  const full: Told = { amount: 5000, currency: 'UGX', phone, externalId: body.id }
  const repeats = Object.fromEntries(
    Object.entries(full).filter(([name]) => own.includes((name === 'phone' ? 'party' : name) as Echo)),
  )
  book.set(travelling(body.rail_reference), { number, told: { ...NOTHING, ...repeats, ...told } })
  service.pass(6000)
  await service.run('follow-charges')
  const { status } = (await client.get(`/v1/charges/${body.id}`)).body
  return { id: body.id as string, status: status as string }
}

test('without any echo money moves on the number of the operator', async () => {
  const { id, status } = await chargeTold([], {})
  assert.equal(status, 'succeeded')
  assert.equal((await transfersOf(service, id)).length, 2)
})

test('without an echo and without a number nothing moves', async () => {
  const { id, status } = await chargeTold([], {}, null)
  assert.equal(status, 'authorized')
  assert.deepEqual(await transfersOf(service, id), [])
})

for (const echo of ECHOES) {
  const wrong = { amount: { amount: 4999 }, currency: { currency: 'USD' }, party: { phone: '256700999999' } }
  test(`an operator that repeats only the ${echo} is held to it`, async () => {
    assert.equal((await chargeTold([echo], {})).status, 'succeeded')
    const lie = echo === 'externalId' ? { externalId: 'txn_other' } : wrong[echo]
    assert.equal((await chargeTold([echo], lie)).status, 'authorized')
  })

  test(`an operator that should repeat the ${echo} and does not is not believed`, async () => {
    const field = echo === 'party' ? 'phone' : echo
    assert.equal((await chargeTold([echo], { [field]: null })).status, 'authorized')
  })
}

test('a callback of such an operator has one address: no attempt gets one of its own', async () => {
  const { id } = await chargeTold([], {})
  const [row] = await service.rows<{ digest: Buffer | null }>(
    'select callback_digest as digest from rail_attempts where subject = $1',
    [id],
  )
  assert.equal(row?.digest, null)
  await followUntilEnded(service, id)
})
