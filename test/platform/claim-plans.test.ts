import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import test from 'node:test'
import { listStatements } from '../../src/platform/db/statement.ts'
import { writeAgain } from '../helpers/database/rows-again.ts'
import { rowsLookedAt } from '../helpers/database/rows-looked-at.ts'
import { newPayer, startLiveService } from '../helpers/service/live-service.ts'
import { made, opened, prepare } from '../helpers/service/opened.ts'

const MANY = 3000
const PLACES = 8
const HOUR = 3_600_000

const service = opened(() => startLiveService())
const shop = made(() => service.shop())
const after = (ms: number) => new Date(service.clock.nowMs() + ms).toISOString()

// One live charge that is due, many whose question comes later, and many of the sandbox that are due.
prepare(async () => {
  const { status } = await shop.live.charge({ phone: newPayer() })
  assert.equal(status, 201)
  for (const [mode, letter, dueAt] of [
    ['live', 'l', after(HOUR)],
    ['test', 't', after(-HOUR)],
  ] as const)
    await writeAgain(service, 'charges', {
      own: {
        id: `t.id || $1 || lpad(n::text, 6, '0')`,
        mode: `'${mode}'`,
        rail_reference: 'gen_random_uuid()::text',
        follow_at: '$2::timestamptz',
      },
      from: `charges t, generate_series(1, ${MANY}) n where length(t.id) = (select min(length(id)) from charges)`,
      values: [letter, dueAt],
    })
  await writeAgain(service, 'rail_attempts', {
    own: {
      id: 'c.rail_reference::uuid',
      subject: 'c.id',
      callback_token_sha256: 'sha256(c.id::bytea)',
      callback_digest: 'null',
    },
    from: `rail_attempts t, charges c where c.mode = 'live' and c.id <> t.subject`,
    values: [],
  })
  await service.rows('analyze charges, rail_attempts')
})

const installation = async () => {
  const [row] = await service.rows<{ installation: string }>('select installation from rail_attempts limit 1')
  return row?.installation ?? assert.fail('there is an attempt')
}
const attempt = async () => {
  const [row] = await service.rows<{ merchantId: number; subject: string }>(
    'select merchant_id as "merchantId", subject from rail_attempts where callback_token_sha256 is not null limit 1',
  )
  return row ?? assert.fail('there is an attempt')
}
const room = () => [after(HOUR / 2), PLACES, after(HOUR)]
const STATEMENTS: Record<string, () => Promise<unknown[]>> = {
  'claim due live charges': async () => [...room(), '{}'],
  'claim recent live charges': async () => [...room(), await installation(), 1],
  'claim old live charges': async () => [...room(), await installation()],
  'look for due live charges': async () => [after(HOUR / 2), `{${await installation()}}`],
  'attempts called back about': async () => {
    const { merchantId, subject } = await attempt()
    return [`{${merchantId}}`, `{${subject}}`]
  },
  'attempts of callback tokens': async () => {
    const { merchantId, subject } = await attempt()
    return [`{${merchantId}}`, `{"\\\\x${hash('sha256', subject)}"}`]
  },
}

for (const [name, valuesOf] of Object.entries(STATEMENTS))
  test(`${name}: it reads what is due, however many are open and whatever the sandbox has`, async () => {
    const one = listStatements().find((each) => each.name === name)
    assert.ok(one)
    const looked = await rowsLookedAt(service, { text: one.text, values: await valuesOf() })
    assert.ok(looked <= PLACES, `${looked} rows were read`)
  })
