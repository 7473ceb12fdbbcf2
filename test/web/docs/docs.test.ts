import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ENDPOINTS } from '../../../src/program/api.ts'
import { settingsTable } from '../../../src/program/settings/config.ts'
import { openapiText, operatingText, schemaText, statesText } from '../../../src/web/docs/printed.ts'
import { type TestDatabase, testDatabase } from '../../helpers/database/test-database.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8')
const STALE = 'is not what the code prints now: run `npm run docs`'

let database: TestDatabase

before(async () => {
  database = await testDatabase()
})
after(() => database.drop())

test('docs/openapi.json is what the code prints now', () => {
  assert.ok(read('docs', 'openapi.json') === openapiText(ENDPOINTS), `docs/openapi.json ${STALE}`)
})

test('docs/states.md has the tables of moves that the code has', () => {
  const written = read('docs', 'states.md')
  assert.match(written, /- `succeeded` -> `refunded` \(`charge.refunded`\)/)
  assert.ok(written === statesText(written), `docs/states.md ${STALE}`)
})

test('docs/operating.md has the table of actions that the code has', () => {
  const written = read('docs', 'operating.md')
  assert.match(written, /\| `payout.create` \| full key, owner \| fresh \| yes \|/)
  assert.ok(written === operatingText(written), `docs/operating.md ${STALE}`)
})

test('docs/schema.md is what a migrated database prints now', async () => {
  assert.ok(read('docs', 'schema.md') === (await schemaText(database.url)), `docs/schema.md ${STALE}`)
})

test('docs/schema.md names every table, index and trigger of the migrations, and none that one of them dropped', () => {
  const schema = read('docs', 'schema.md').toLowerCase()
  // An index that becomes a key (`using index`) takes its name.
  const steps = /(create|drop|using) (?:unlogged )?(?:unique )?(table|index|trigger|type|function) ([a-z_0-9]+)/g
  let seen = 0
  for (const kind of ['directory', 'cell']) {
    const text = readdirSync(join(ROOT, 'migrations', kind))
      .sort()
      .map((file) => read('migrations', kind, file))
      .join('\n')
    // What was dropped and made anew is there.
    const last = new Map([...text.matchAll(steps)].map(([, step, what, name]) => [`${what} ${name}`, step]))
    for (const [named, step] of last) {
      assert.equal(new RegExp(`${named}\\b`).test(schema), step === 'create', `${named} of ${kind}`)
      seen += 1
    }
  }
  assert.ok(seen > 30)
})

test('docs/operating.md names every setting with its default', () => {
  const rows = read('docs', 'operating.md').split('\n')
  for (const { name, byDefault } of settingsTable) {
    const shown = byDefault === '' ? 'empty' : `\`${byDefault}\``
    const start = `| \`${name}\` | ${shown} |`
    assert.ok(
      rows.some((row) => row.startsWith(start)),
      `docs/operating.md lacks a row that begins with ${start}`,
    )
  }
})

test('the changelog has its newest entry first, and an entry for the version of the package', () => {
  const entries = [...read('CHANGELOG.md').matchAll(/^## ([0-9]+)\.([0-9]+)\.([0-9]+) - ([0-9-]{10})$/gm)]
  const order = entries.map(([, ...version]) =>
    version
      .slice(0, 3)
      .map((part) => part.padStart(6, '0'))
      .join('.'),
  )
  const dates = entries.map((entry) => entry[4] as string)
  assert.ok(entries.length > 0, 'CHANGELOG.md has no entry like `## 1.0.0 - 2026-11-21`')
  assert.deepEqual(order, [...order].sort().reverse())
  assert.deepEqual(dates, [...dates].sort().reverse())
  const { version } = JSON.parse(read('package.json'))
  assert.ok(
    entries.some(([heading]) => heading.includes(` ${version} `)),
    `CHANGELOG.md lacks ${version}`,
  )
})
