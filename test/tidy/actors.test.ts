import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACTIONS, ruleOf } from '../../src/api/access/actions.ts'
import { declaredIn, unguardedWrites } from './mutations.ts'
import { type Source, sourcesOf } from './sources.ts'

const SRC = sourcesOf('src', '.ts', '.tsx').filter(({ path }) => !path.endsWith('.test.ts'))

// Tables that are written for the service itself, whoever calls. Such a write is nobody's action.
const BOOKKEEPING = new Set<string>([
  'idempotency_keys',
  'rate_windows',
  'rate_counts',
  'address_windows',
  'command_keys',
  'revision',
  'statement_headers',
  'voucher_misses',
  'passkey_challenges',
  'alerts',
  'alert_test',
  'processes',
  'sweep_runs',
  'verify_runs',
  'lasting_keys',
  'form_results',
  'form_steps',
  'master_key_check',
])
const freely = (table: string) => BOOKKEEPING.has(table)

// The entry points of requests, customers, machines and commands.
const DOOR =
  /^src\/(?:(?:[\w-]+\/)+(?:[\w-]+-)?routes|program\/commands\/frame\/run-command|program\/commands\/demo|program\/front)\.ts$/
const rootsIn = (sources: readonly Source[]) =>
  [...declaredIn(sources)].filter(([, { place }]) => DOOR.test(place)).map(([at]) => at)

// Tasks and the start act for the service itself. The one command that runs tasks asks the table of actions.
const OUR_OWN = ['src/program/sweeps.ts', 'src/program/open-gateway.ts']
const NO_ACTS = [
  // That a session is in use. Only its idle time hangs on it.
  'src/merchants/people/session.ts RECORD_SEEN',
  // Lists of what is sealed. `secrets rewrap`, which asks the table, sends their statements; doctor only reads the lists.
  'src/program/commands/secrets.ts SEALED_IN_CELL',
  'src/program/commands/secrets.ts SEALED_IN_DIRECTORY',
  // The first statement of a past month closes the month for postings. It moves no money.
  'src/ledger/closed-months.ts CLOSE_MONTH',
]
function declaredOf(sources: readonly Source[]) {
  const all = declaredIn(sources.filter(({ path }) => !OUR_OWN.includes(path)))
  for (const one of NO_ACTS) assert.ok(all.delete(one), `${one} is there`)
  return all
}

test('OP3: no request, page or command reaches a statement that writes without asking who may', () => {
  const roots = rootsIn(SRC)
  assert.ok(roots.length > 50, 'the doors were found')
  assert.deepEqual(unguardedWrites(declaredOf(SRC), roots, { freely }), [])
})

test('a mutation that asks nobody would be found', () => {
  const plant = (path: string, text: string): Source => ({
    ...{ path, text, imports: [], comments: '' },
    code: text.replace(/'[^']*'/g, (quoted) => ' '.repeat(quoted.length)),
    strings: text,
  })
  const routes = plant('src/ears/routes.ts', `import { hear } from './hear.ts'\nexport const ears = () => hear()\n`)
  const hear = (asks: string) =>
    plant(
      'src/ears/hear.ts',
      `const ADD = statement('add', 'insert into charges values (1)')\nexport function hear() {\n${asks}  send(ADD)\n}\n`,
    )
  const ways = (asks: string) => {
    const planted = [routes, hear(asks)]
    return unguardedWrites(declaredIn(planted), rootsIn(planted), { freely })
  }
  assert.deepEqual(ways(''), ['ears/routes ears -> ears/hear hear -> ears/hear ADD'])
  assert.deepEqual(ways(`  allow(actor, 'charge.create')\n`), [])
})

test('every action of the table is asked for, and every audited one leaves its row', () => {
  const product = SRC.filter(({ path }) => path !== 'src/api/access/actions.ts')
  const says = (action: string, ...alsoBy: RegExp[]) =>
    product.some(({ text }) => text.includes(`'${action}'`) && alsoBy.every((pattern) => pattern.test(text)))
  const actions = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]
  assert.deepEqual(
    actions.filter((action) => !says(action)),
    [],
  )
  const audited = actions.filter((action) => ruleOf(action).audited)
  assert.deepEqual(
    audited.filter((action) => !says(action, /\ballow\(/, /\b(auditRows?|ownAccountRow)\(/)),
    [],
  )
})
