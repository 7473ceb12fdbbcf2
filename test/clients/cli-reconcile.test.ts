import assert from 'node:assert/strict'
import test from 'node:test'
import { assertRefused } from '../helpers/service/command-line.ts'
import { openedAndVerified } from '../helpers/service/opened.ts'
import { CHARGE, startService } from '../helpers/service/test-service.ts'
import { openedCli } from './cli-program.ts'

const service = openedAndVerified(() => startService())
const cli = openedCli()

const FAILING = '0700000001'

async function shop() {
  const { keys } = await service.merchant()
  const api = service.client(keys.test)
  const user = cli.newUser({ GATEWAY_URL: service.url, GATEWAY_API_KEY: keys.test })
  const charge = async (reference: string | undefined, more: object = {}): Promise<string> =>
    (await api.charge({ ...CHARGE, ...(reference === undefined ? {} : { reference }), ...more })).body.id
  return { api, user, charge }
}

async function finish() {
  service.pass(2000)
  await service.run('follow-charges')
}

/** A shop with a charge of each kind, and the file of its orders. */
async function differingShop() {
  const { api, user, charge } = await shop()
  await api.post('/v1/test/funds', { amount: 100_000 })
  const ids = {
    good: await charge('good'),
    amount: await charge('amount', { amount: 7000 }),
    failed: await charge('failed', { customer: { phone: FAILING } }),
    refunded: await charge('refunded'),
    first: await charge('doubled'),
    second: await charge('doubled'),
    retried: await charge('retried', { customer: { phone: FAILING } }),
    unknown: await charge('unknown'),
    nameless: await charge(undefined),
  }
  await charge('retried')
  await finish()
  await api.post(`/v1/charges/${ids.refunded}/refund`)
  const open = await charge('open')
  const file = user.file(
    'mine.csv',
    [
      'Reference,Total,Status,Phone,Customer',
      'good,"5,000",paid,0700000000,A',
      'amount,5000,paid,,B',
      'failed,5000,shipped,,C',
      'refunded,5000,,,D',
      'doubled,5000,paid,,E',
      'retried,5000,paid,,F',
      'open,5000,paid,,G',
      'gone,3000,paid,,H',
      'never,3000,cancelled,,I',
      'good,5000,paid,,J',
      'phone,5000,,0711111111,K',
    ].join('\n'),
  )
  const phone = await charge('phone')
  await finish()
  return { user, file, ids: { ...ids, open, phone } }
}

test('every kind of difference is found with its reason', async () => {
  const { user, file, ids } = await differingShop()
  const { differences, ...counts } = await user.json(`reconcile ${file} --created-after 2020-01-01`)
  assert.deepEqual(counts, { orders: 11, charges: 12, agreed: 4, whole_days: true })
  const told = differences.map(({ kind, reference, line, charge }: any) => [kind, reference, line, charge])
  const [newest] = told[3].splice(3)
  assert.ok([ids.first, ids.second].includes(newest))
  assert.deepEqual(told, [
    ['other_amount', 'amount', 3, ids.amount],
    ['other_state', 'failed', 4, ids.failed],
    ['refunded', 'refunded', 5, ids.refunded],
    ['paid_twice', 'doubled', 6],
    ['missing_at_gateway', 'gone', 9, null],
    ['twice_in_file', 'good', 11, null],
    ['other_phone', 'phone', 12, ids.phone],
    ['missing_in_file', null, null, ids.nameless],
    ['missing_in_file', 'unknown', null, ids.unknown],
  ])
  const reasons = Object.fromEntries(differences.map(({ kind, reason }: any) => [kind, reason]))
  assert.equal(reasons.other_state, 'it failed with insufficient_funds')
  assert.match(reasons.refunded, /^given back at 20\d\d-/)
  assert.match(reasons.paid_twice, /^paid 2 times: txn_\w+, txn_\w+$/)
  assert.equal(reasons.missing_at_gateway, 'no charge has this reference')
  assert.deepEqual([differences[0].mine, differences[0].gateway], ['UGX 5,000', 'UGX 7,000'])
})

test('without days orders are looked up one by one, a table shows what differs, and the exit code is 1', async () => {
  const { user, file } = await differingShop()
  const ran = await user.run(`reconcile ${file}`)
  assert.equal(ran.code, 1)
  assert.match(ran.stdout, /^DIFFERENCE +LINE +REFERENCE +CHARGE +MINE +GATEWAY +REASON$/m)
  assert.match(ran.stdout, /^missing_at_gateway +9 +gone +- +UGX 3,000 paid +- +no charge has this reference$/m)
  assert.doesNotMatch(ran.stdout, /missing_in_file/)
  assert.match(ran.stdout, /^11 orders, 10 charges, 4 agree, 7 differences$/m)
  assert.match(ran.stderr, /payments that the file lacks are found with --created-after/)
})

test('an order that is still open, refunded or failed on both sides agrees', async () => {
  const { api, user, charge } = await shop()
  await api.post('/v1/test/funds', { amount: 100_000 })
  const refunded = await charge('r')
  await charge('f', { customer: { phone: FAILING } })
  await finish()
  await api.post(`/v1/charges/${refunded}/refund`)
  await charge('o')
  const file = user.file('mine.csv', 'ref;amount;status\nr;5000;returned\nf;5000;failed\no;5000;pending\n')
  const { code, stdout } = await user.run(`reconcile ${file} --created-after 2020-01-01`)
  assert.deepEqual([code, stdout], [0, '3 orders, 3 charges, 3 agree, 0 differences\n'])
  const wrong = user.file('wrong.csv', 'ref,amount,status\no,5000,paid\nr,5000,failed\n')
  const { differences } = await user.json(`reconcile ${wrong}`)
  assert.deepEqual(
    differences.map(({ kind, reason }: any) => [kind, reason.replace(/ at .*/, '')]),
    [
      ['other_state', 'it is authorized, and has not ended'],
      ['refunded', 'given back'],
    ],
  )
})

test('a file that cannot be read is called so, with its line', async () => {
  const { user } = await shop()
  const many = Array.from({ length: 1001 }, (_, nth) => `r${nth},1`).join('\n')
  const files: [text: string, code: number, says: RegExp][] = [
    ['', 2, /^mmg: the file is empty\n$/],
    ['order,price\na,1\n', 2, /^mmg: the header must name reference and amount; it is order, price\n$/],
    ['ref,reference,amount\na,a,1\n', 2, /^mmg: the header names reference twice\n$/],
    ['ref,amount\n,5\n', 2, /^mmg: line 2 has no reference\n$/],
    ['ref,amount\na,5.5\n', 2, /^mmg: line 2: "5\.5" is no amount in whole shillings\n$/],
    ['ref,amount,status\na,5,odd\n', 2, /^mmg: line 2: the status "odd" is none of paid, succeeded, /],
    ['ref,amount,phone\na,5,me\n', 2, /^mmg: line 2: "me" is no phone number\n$/],
    [
      `ref,amount\n${many}`,
      1,
      /^mmg: the file has more than 1,000 orders to look up one by one: add --created-after and --created-before\n$/,
    ],
  ]
  for (const [nth, [text, code, says]] of files.entries())
    assertRefused(await user.run(`reconcile ${user.file(`${nth}.csv`, text)}`), { code, says })
  const file = user.file('good.csv', 'ref,amount\na,5\n')
  assertRefused(await user.run(`reconcile ${file} --created-after soon`), {
    code: 1,
    says: /created_after.*\(bad_request, request /,
  })
})
