import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { assertRefused } from '../helpers/service/command-line.ts'
import { openedAndVerified } from '../helpers/service/opened.ts'
import { CHARGE, startService } from '../helpers/service/test-service.ts'
import { deliver, endedCharge } from '../helpers/web/webhooks.ts'
import { openedCli } from './cli-program.ts'
import { ROOT } from './sdk-cases.ts'

const service = openedAndVerified(() => startService())
const cli = openedCli()

const PACKAGE = join(ROOT, 'clients', 'cli')

async function shop() {
  const merchant = await service.merchant()
  const api = service.client(merchant.keys.test)
  return { merchant, api, user: cli.newUser({ GATEWAY_URL: service.url, GATEWAY_API_KEY: merchant.keys.test }) }
}

/** A person whose environment has no key. */
const newcomer = () => cli.newUser({})
test('a list is a table for people and JSON for programs, with the filters of the API', async () => {
  const { api, user } = await shop()
  for (const reference of ['order-1', 'order-2', 'order-3']) await api.charge({ ...CHARGE, reference })
  const table = await user.run('charges list --limit 2')
  const [head, ...lines] = table.stdout.trimEnd().split('\n')
  assert.match(head ?? '', /^ID +STATUS +AMOUNT +FEE +PHONE +REFERENCE +REASON +CREATED$/)
  assert.equal(lines.length, 2)
  assert.match(lines[0] ?? '', /^txn_\w+ +authorized +5,000 +200 +256700000000 +order-3 +- +20\d\d-/)
  assert.match(table.stderr, /^there are more: --limit, or --starting-after \w+\n$/)
  const [, cursor = ''] = /--starting-after (\w+)/.exec(table.stderr) ?? []
  const rest = await user.json(`charges list --starting-after ${cursor}`)
  assert.deepEqual([rest.data.map(({ reference }: any) => reference), rest.has_more], [['order-1'], false])
  const found = await user.json('charges list --reference order-2 --status pending,authorized --amount 5000')
  assert.deepEqual(
    found.data.map(({ reference }: any) => reference),
    ['order-2'],
  )
  const none = await user.run('charges list --status failed')
  assert.deepEqual([none.code, none.stdout, none.stderr], [0, '', 'there are no such charges\n'])
  const got = await user.run(`charges get ${found.data[0].id}`)
  assert.match(got.stdout, /^customer\.phone +256700000000$/m)
  assert.equal((await user.json(`charges get ${found.data[0].id} --expand refund`)).refund, null)
  assert.deepEqual((await user.json('--json balance')).balances[0].currency, 'UGX')
})

test('more rows than a page has are read page by page', async () => {
  const { api, user } = await shop()
  await Promise.all(Array.from({ length: 103 }, () => api.charge()))
  const { data, has_more } = await user.json('charges list --limit 102')
  assert.deepEqual([data.length, new Set(data.map(({ id }: any) => id)).size, has_more], [102, 102, true])
})

test('payouts, refunds, events and deliveries are listed and read', async () => {
  const { api, user } = await shop()
  await api.post('/v1/test/funds', { amount: 50_000 })
  const payout = await api.post('/v1/payouts', { amount: 1000, recipient: { phone: '0700000000' }, reference: 'wage' })
  const { chargeId, eventId } = await endedCharge(service, api)
  await api.post(`/v1/charges/${chargeId}/refund`)
  while ((await service.run('seal-events')) > 0);
  await deliver(service)
  assert.match((await user.run('payouts list --reference wage')).stdout, /^pout_\w+ +\w+ +payout +1,000 /m)
  assert.equal((await user.json(`payouts get ${payout.body.id}`)).reference, 'wage')
  const refunds = await user.json('refunds list')
  assert.deepEqual([refunds.data[0].id, refunds.data[0].refund.kind], [chargeId, 'refund'])
  assert.match((await user.run('refunds list')).stdout, new RegExp(`^${chargeId} +5,000 +pout_`, 'm'))
  assert.equal((await user.json(`refunds get ${chargeId}`)).refund.charge_id, chargeId)
  const events = await user.json('events list --event charge.succeeded')
  assert.equal(events.data[0].envelope.id, eventId)
  assert.match(
    (await user.run('events list')).stdout,
    new RegExp(`^1 +${eventId} +charge.succeeded +${chargeId} `, 'm'),
  )
  assert.equal((await user.json(`events get ${eventId}`)).sequence, 1)
  const deliveries = await user.json('deliveries list --event charge.succeeded')
  assert.deepEqual([deliveries.data[0].event_id, deliveries.data[0].status], [eventId, 'pending'])
  assert.equal((await user.json(`deliveries get ${eventId}`)).event, 'charge.succeeded')
})

test('what is refused says why, with the hint and the request, and what is called wrongly says how', async () => {
  const { api, user } = await shop()
  const { body } = await api.charge()
  const refusals: [words: string, code: number, says: RegExp][] = [
    ['charges get txn_none', 1, /^mmg: charge not found \(not_found, request [\w-]+\)\n$/],
    [`refunds get ${body.id}`, 1, new RegExp(`^mmg: ${body.id} was not given back: it is authorized\n$`)],
    ['charges list --status paid', 1, /^mmg: .*status.*\(bad_request, request [\w-]+\)\n$/],
    ['events list --starting-after 99', 1, /^mmg: .*cursor.*\(bad_request, request [\w-]+\)\n$/],
    ['trigger charge.unknown', 1, /^mmg: .*event.*\(bad_request, request [\w-]+\)\n$/],
    ['charges list --limit 0', 2, /^mmg: --limit must be a whole number from 1 to 10000\n$/],
    ['charges list --colour red', 2, /^mmg: Unknown option '--colour'; see: mmg help charges list\n$/],
    ['charges get', 2, /^mmg: ID is missing: mmg charges get ID\n$/],
    ['charges', 2, /^mmg: which one: charges list, charges get\?\n$/],
    ['frobnicate', 2, /^mmg: there is no command frobnicate; mmg help lists all\n$/],
    ['help frobnicate', 2, /^mmg: there is no command frobnicate; mmg help lists all\n$/],
    ['completion fish', 2, /^mmg: SHELL must be bash or zsh\n$/],
    ['trigger charge.succeeded --data /nowhere', 2, /^mmg: \/nowhere cannot be read: there is no such file\n$/],
    ['logs --failed --status 4xx', 2, /^mmg: --failed and --status exclude each other\n$/],
    ['logs --follow --limit 5', 2, /^mmg: --follow and --limit exclude each other\n$/],
    ['logs --follow --starting-after req_1', 2, /^mmg: --follow and --starting-after exclude each other\n$/],
    ['logs --status 404', 2, /^mmg: --status must be one of 2xx, 4xx, 5xx, refused\n$/],
    ['logs --code none_such', 1, /^mmg: invalid code: none_such - all codes stand at \/docs\/errors \(bad_request, /],
    ['logs --follow --ending-before req_1', 1, /^mmg: invalid ending_before cursor \(bad_request, request [\w-]+\)\n$/],
    ['logs --follow --code none_such', 1, /^mmg: invalid code: none_such /],
    ['logs get req_none', 1, /^mmg: request not found \(not_found, request [\w-]+\)\n$/],
    ['listen --from 1 --skip-old', 2, /^mmg: --from and --skip-old exclude each other\n$/],
    ['listen --forward localhost:3000', 2, /^mmg: --forward must be an http or https address, /],
    [
      'listen --forward http://192.0.2.1/hook',
      1,
      /^mmg: 192\.0\.2\.1 is 192\.0\.2\.1, neither this machine nor its network: add --anywhere /,
    ],
    ['listen --forward http://[::ffff:8.8.8.8]/hook', 1, /neither this machine nor its network/],
  ]
  for (const [words, code, says] of refusals) assertRefused(await user.run(words), { code, says })
  const asJson = await user.run('charges get txn_none --json')
  const { error } = JSON.parse(asJson.stderr)
  assert.deepEqual([asJson.code, asJson.stdout, error.code, error.status, error.retry], [1, '', 'not_found', 404, 'no'])
  assert.match(error.request_id, /^[\w-]+$/)
})

test('an event is sent with data from a file, from the standard input, and with that of its example', async () => {
  const { user } = await shop()
  const file = user.file('data.json', '{"id":"txn_1","amount":7}')
  assert.match(
    (await user.run(`trigger charge.succeeded --data ${file}`)).stdout,
    /^charge\.succeeded {2}evt_\w+ {2}no address is set/,
  )
  const { id } = await user.json('trigger payout.failed --data -', '{"id":"pout_1"}')
  assert.deepEqual((await user.json(`events get ${id}`)).envelope.data, { id: 'pout_1', mode: 'test', sample: true })
  assert.equal((await user.json('trigger dispute.opened')).event, 'dispute.opened')
  for (const text of ['[1]', '{', ''])
    assertRefused(await user.run('trigger charge.failed --data -', text), {
      code: 2,
      says: /^mmg: the standard input is no JSON object\n$/,
    })
  assertRefused(await user.run('trigger charge.failed --data -', 'x'.repeat(1_100_000)), {
    code: 1,
    says: /longer than 1 MiB/,
  })
})

test('every filter of the API is an option', async () => {
  const { paths } = JSON.parse(readFileSync(join(ROOT, 'docs', 'openapi.json'), 'utf8'))
  const user = newcomer()
  const lists: [words: string, path: string, own?: string[]][] = [
    ['charges list', 'charges'],
    ['payouts list', 'payouts'],
    ['events list', 'events'],
    ['deliveries list', 'webhooks'],
    ['logs', 'requests', ['follow', 'failed']],
  ]
  for (const [words, path, own = []] of lists) {
    const { stdout } = await user.run(`${words} --help`)
    const options = [...stdout.matchAll(/^ {2}--([a-z0-9-]+)/gm)].map(([, name]) => name ?? '')
    const filters = paths[`/v1/${path}`].get.parameters
      .filter((one: any) => one.in === 'query' && one.name !== 'wait')
      .map(({ name }: any) => name.replaceAll('_', '-'))
    assert.deepEqual(options.toSorted(), [...filters, ...own, 'json', 'help'].toSorted(), words)
  }
})

test('completion is read by bash, and offers what may follow', async () => {
  const { stdout } = await newcomer().run('completion bash')
  execFileSync('bash', ['-n'], { input: stdout })
  const offered = (words: string) => {
    const line = `COMP_WORDS=(${words}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); _mmg; echo "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', `${stdout}\n${line}`], { encoding: 'utf8' })
      .trim()
      .split(' ')
  }
  assert.deepEqual(offered('mmg pay'), ['payouts'])
  assert.deepEqual(offered("mmg payouts ''"), ['bulk', 'get', 'list'])
  assert.deepEqual(offered('mmg logs --f'), ['--failed', '--follow'])
  assert.deepEqual(offered('mmg payouts list --st'), ['--starting-after', '--status'])
  const zsh = (await newcomer().run('completion zsh')).stdout
  assert.match(zsh, /^#compdef mmg\n/)
  assert.match(zsh, /'payouts'\) compadd -- bulk get list ;;/)
})

test('help explains every command, and the version is that of the package', async () => {
  const user = newcomer()
  const { stdout, code } = await user.run('help')
  assert.equal(code, 0)
  const commands = [...stdout.matchAll(/^ {2}mmg ([a-z]+(?: [a-z]+)*)/gm)].map(([, words]) => words ?? '')
  assert.ok(commands.length > 15)
  for (const group of new Set(commands.map((words) => words.split(' ')[0]))) {
    const page = (await user.run(`help ${group}`)).stdout
    for (const words of commands.filter((one) => one.split(' ')[0] === group))
      assert.match(page, new RegExp(`^Usage: mmg ${words}( |$)`, 'm'))
  }
  const bulk = await user.run('payouts bulk --help')
  assert.deepEqual([bulk.code, bulk.stdout], [0, (await user.run('help payouts bulk')).stdout])
  assert.equal((await user.run('')).code, 2)
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))
  assert.equal((await user.run('--version')).stdout, `${version}\n`)
})
