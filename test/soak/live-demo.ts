// npm run live-demo: a gateway and the operator's emulator as programs of their own, and what live money does between them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { freePort, type Installation, type Merchant, makeInstallation } from '../crash/installation.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const SECOND = 1000
const LOOK_MS = 250
const HOLD_MS = 25 * 3600 * SECOND
let step = 0

const say = (line: string) => console.log(line)
const title = (line: string) => {
  step += 1
  say(`\n${step}. ${line}`)
}

/** The operator as a program of its own. */
async function startOperator() {
  const ports = ['--port', '0', '--control-port', String(await freePort())]
  const args = [...ports, '--profile', 'mtnuganda', '--seed', '7']
  const child = spawn(process.execPath, [join(ROOT, 'dist', 'emulator', 'main.js'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout })
  reader.on('line', (line) => lines.push(line))
  while (!lines.some((line) => line.includes('__emu'))) await sleep(20)
  const find = (pattern: RegExp) => lines.map((line) => pattern.exec(line)?.[1]).find((found) => found !== undefined)
  const url = find(/(http:\/\/127\.0\.0\.1:\d+)(?!.*__emu)/) as string // It has just been printed.
  const control = find(/(http:\/\/[^ ]+\/__emu)/) as string
  return {
    url,
    control: async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => {
      const init = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await request(`${control}/${path}`, { method, ...init })
      return JSON.parse(await answer.body.text())
    },
    stop: async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}
type Operator = Awaited<ReturnType<typeof startOperator>>

type World = { operator: Operator; installation: Installation; shop: Merchant }

async function api({ installation, shop }: World, method: 'GET' | 'POST', path: string, body?: object): Promise<any> {
  const headers = {
    authorization: `Bearer ${shop.keys.live}`,
    'content-type': 'application/json',
    ...(method === 'POST'
      ? {
          'idempotency-key': `demo-${performance.now()}`,
          'x-timestamp': String(Math.floor(installation.clock.nowMs() / SECOND)),
        }
      : {}),
  }
  const answer = await request(`${installation.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const json = JSON.parse(await answer.body.text())
  say(
    `   ${method} ${path} -> ${answer.statusCode}${json.status ? ` ${json.status}` : ''}${json.error ? ` ${json.error}` : ''}`,
  )
  return json
}

/** Asks until it has this status; nothing of it is faster than in life, the customer types the PIN when the demo says so. */
async function until(world: World, path: string, status: string): Promise<any> {
  for (let look = 0; look < 400; look += 1) {
    const { body } = await request(`${world.installation.url}${path}`, {
      headers: { authorization: `Bearer ${world.shop.keys.live}` },
    })
    const json = JSON.parse(await body.text()) as { status: string }
    if (json.status === status) {
      say(`   GET ${path} -> ${status}`)
      return json
    }
    await sleep(LOOK_MS)
  }
  throw new Error(`${path} did not become ${status}`)
}

/** The customer types the PIN, or the operator pays. */
const decide = (
  { operator }: World,
  reference: string,
  status: 'SUCCESSFUL' | 'FAILED' = 'SUCCESSFUL',
  reason?: string,
) => operator.control('POST', `transactions/${reference}/resolve`, { status, ...(reason ? { reason } : {}) })

const chargeOf = (amount: number, phone: string) => ({ amount, channel: 'op1_momo', customer: { phone } })

async function charge(world: World, amount: number, phone: string): Promise<any> {
  const made = await api(world, 'POST', '/v1/charges', chargeOf(amount, phone))
  await decide(world, made.rail_reference)
  return until(world, `/v1/charges/${made.id}`, 'succeeded')
}

async function tellStory(world: World, path: string): Promise<void> {
  const { data, next_check_at } = await api(world, 'GET', `${path}/timeline`)
  for (const { at, summary, repeated } of [...data].reverse())
    say(`      ${at.slice(11, 19)} ${summary}${repeated > 1 ? ` (${repeated} times)` : ''}`)
  say(`      next check: ${next_check_at ?? 'none, it has ended'}`)
}

async function walk(world: World): Promise<void> {
  const { operator, installation } = world
  title('A customer is asked for the PIN and types it.')
  const first = await charge(world, 80_000, '0772100001')
  say(`   the operator's own number of it: ${first.rail_transaction_id ?? '(in the timeline)'}`)

  title('The callback gets lost: questions find the answer out.')
  await operator.control('POST', 'fault', { name: 'noCallback' })
  await charge(world, 60_000, '0772100002')

  title('No clear answer comes back. The payment is parked, not failed, and one debit is all there is.')
  await operator.control('POST', 'fault', { name: 'dropAfterAccept' })
  const parked = await api(world, 'POST', '/v1/charges', chargeOf(40_000, '0772100003'))
  await decide(world, parked.rail_reference)
  await until(world, `/v1/charges/${parked.id}`, 'succeeded')
  await tellStory(world, `/v1/charges/${parked.id}`)
  const { references } = await operator.control('GET', 'oracle')
  say(`   the operator moved it ${references[parked.rail_reference]?.moves ?? 0} time(s)`)

  title('A customer says no.')
  const refused = await api(world, 'POST', '/v1/charges', chargeOf(5000, '0772100004'))
  await decide(world, refused.rail_reference, 'FAILED', 'APPROVAL_REJECTED')
  await until(world, `/v1/charges/${refused.id}`, 'failed')

  title('A day passes: the hold ends and the money becomes available.')
  installation.advance(HOLD_MS)
  await installation.command(['sweep', 'settle-charges'])
  const balance = await api(world, 'GET', '/v1/balance')
  say(`   ${JSON.stringify(balance.live ?? balance)}`)

  title('A payout to a supplier.')
  const payout = await api(world, 'POST', '/v1/payouts', {
    amount: 20_000,
    channel: 'op1_momo',
    recipient: { phone: '0772200001' },
  })
  await decide(world, payout.rail_reference)
  await until(world, `/v1/payouts/${payout.id}`, 'succeeded')

  title('A refund: the money goes back to the phone that paid.')
  const refund = await api(world, 'POST', `/v1/charges/${first.id}/refund`)
  const refundPayout = await waitForTransaction(world, refund.refund.id)
  await decide(world, refundPayout)
  await until(world, `/v1/charges/${first.id}`, 'refunded')

  title('A payroll of three in one call.')
  const items = ['0772300001', '0772300002', '0772300003'].map((phone, nth) => ({
    ...{ phone, amount: 5000 + nth * 500, reference: `wage-${nth}` },
  }))
  await api(world, 'POST', '/v1/payouts/bulk', { payouts: items })
  const { data: wages } = await waitFor(world, '/v1/payouts?limit=10', ({ data }) => data.length >= 5)
  for (const { id, status } of wages) {
    if (status === 'succeeded') continue
    await decide(world, await waitForTransaction(world, id))
    await until(world, `/v1/payouts/${id}`, 'succeeded')
  }

  title('Our books against the operator.')
  const reconciled = await installation.command(['reconcile'])
  for (const leg of reconciled.json.legs) say(`   ${JSON.stringify(leg)}`)
  const { code } = await installation.command(['verify'])
  say(`   every invariant of the ledger ${code === 0 ? 'holds' : 'DOES NOT HOLD'}`)
  const clean = code === 0 && reconciled.json.legs.every(({ opened }: { opened: number }) => opened === 0)
  process.exitCode = clean ? 0 : 1
}

async function waitFor(world: World, path: string, holds: (json: any) => boolean): Promise<any> {
  for (let look = 0; look < 200; look += 1) {
    const json = await api(world, 'GET', path)
    if (holds(json)) return json
    await sleep(LOOK_MS)
  }
  throw new Error(`${path} never held`)
}

/** Until the operator has got the payment with this id; answers its reference. */
async function waitForTransaction({ operator }: World, id: string): Promise<string> {
  for (let look = 0; look < 200; look += 1) {
    const { transactions } = await operator.control('GET', 'transactions')
    const found = transactions.find(({ externalId }: { externalId: string }) => externalId === id)
    if (found) return found.reference
    await sleep(LOOK_MS)
  }
  throw new Error(`the operator never got ${id}`)
}

const operator = await startOperator()
const file = join(tmpdir(), `live-demo-${process.pid}.json`)
const installation = await makeInstallation({ OP1_INSTALLATIONS: file })
try {
  const { credentials, targetEnvironment } = await operator.control('GET', 'credentials')
  const callback = { base: `${installation.url}/inbound/op1` }
  writeFileSync(
    file,
    JSON.stringify([{ id: 'demo', baseUrl: operator.url, targetEnvironment, ...credentials, callback }]),
  )
  say(`the operator of profile mtnuganda listens on ${operator.url}, the gateway on ${installation.url}`)
  const shop = await installation.merchant('demo', ['--verified'])
  await installation.startReady()
  const { json } = await installation.command(['rails', 'check'])
  say(`rails check: ${json.ok ? 'everything is there' : 'something is missing'}`)
  await walk({ operator, installation, shop })
  say(`\n${process.exitCode === 0 ? 'done: not a shilling lost, doubled or falsely called failed' : 'BROKEN'}`)
} finally {
  await installation.end()
  await operator.stop()
  rmSync(file, { force: true })
}
