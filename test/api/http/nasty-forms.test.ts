import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { CONSOLE_GUEST_ROUTES as CONSOLE_GUESTS } from '../../../src/web/console/console.ts'
import { CONSOLE_ROUTES as CONSOLE } from '../../../src/web/console/routes-list.ts'
import { DASHBOARD_GUESTS } from '../../../src/web/dashboard/dashboard.ts'
import { DASHBOARD_ROUTES } from '../../../src/web/dashboard/routes-list.ts'
import type { GuestRoute } from '../../../src/web/parts/routes/route.ts'
import { inThisRun, inTurn } from '../../helpers/service/parts.ts'
import { type ServiceProcess, startServiceProcess } from '../../helpers/service/service-process.ts'
import { type Browser, browserOf, formOf } from '../../helpers/web/browser.ts'
import { type Declared, pathOf } from '../../web/dashboard/whole/places.ts'

// The same bar as for bodies of the API (nasty-bodies.test.ts): what any one form may hold the event loop for, in the best of some tries.
const LONGEST_HOLD_MS = 50
const TRIES = 8
const KIB = 1024
const SIZES = [16 * KIB, 32 * KIB, 64 * KIB, 512 * KIB]

let service: ServiceProcess
let owner: Browser
let csrf = ''
before(async () => {
  service = await startServiceProcess()
  owner = browserOf(service)
  const fields = { business: 'Nasty', email: 'nasty@shop.invalid', password: 'four words of mine' }
  assert.equal((await owner.post('/dashboard/sign-up', fields)).status, 303)
  csrf = /name="csrf" value="([^"]+)"/.exec((await owner.get('/dashboard/test')).text)?.[1] ?? ''
  assert.ok(csrf !== '')
})
after(() => service?.stop())

/** Bodies of almost so many bytes. */
const BODIES: Readonly<Record<string, (bytes: number) => string>> = {
  'many names': (bytes) => Array.from({ length: bytes / 7 }, (_, nth) => nth.toString(36)).join('&'),
  'signs alone': (bytes) => '&='.repeat(bytes / 2 - 200),
  'two hundred long names': (bytes) =>
    Array.from({ length: 198 }, (_, nth) => `${'%F0%9F%8D%B2'.repeat(bytes / 2600)}${nth}=1`).join('&'),
  escapes: (bytes) => `name=${'%F0%9F%8D%B2'.repeat(bytes / 12 - 40)}`,
  'broken escapes': (bytes) => `name=${'%%4'.repeat(bytes / 3 - 160)}`,
  blanks: (bytes) => `name=${'+'.repeat(bytes - 500)}x${'+'.repeat(10)}`,
}

const filled = (path: string) => path.replace(/:\w+/g, 'none')
const formsOf = (base: string, routes: readonly Declared[]) =>
  routes.flatMap((route) => (route.kind === 'form' ? [`${base}${filled(pathOf(route))}`] : []))
const guestsOf = (base: string, guests: readonly GuestRoute[]) =>
  guests.flatMap(({ method, path }) => (method === 'POST' ? [`${base}${filled(path)}`] : []))
const OWN = formsOf('/dashboard/test', DASHBOARD_ROUTES)
const OTHERS = [
  ...formsOf('/console', CONSOLE),
  ...guestsOf('/dashboard', DASHBOARD_GUESTS),
  ...guestsOf('/console', CONSOLE_GUESTS),
  ...['submit', 'retry', 'apply-voucher', 'report'].map((end) => `/pay/lnk_none/${end}`),
  ...['/pay/@nobody/pay', '/dashboard/no/such/page', '/console/no/such/page'],
]

type Sending = { address: string; body: string; by: Browser; headers?: Record<string, string> }

/** The longest hold of one form, in the best of some tries. */
async function holdOf({ address, body, by, headers }: Sending): Promise<string | null> {
  let best = Number.POSITIVE_INFINITY
  for (let tried = 0; tried < TRIES && best > LONGEST_HOLD_MS; tried += 1) {
    const hold = await service.longestHold(async () => {
      const { status } = await by.post(address, body, headers)
      assert.ok(status < 500, `${address}: ${status}`)
    })
    best = Math.min(best, hold)
  }
  return best > LONGEST_HOLD_MS ? `${address} holds it for ${Math.round(best)} ms` : null
}

test('no form of any surface holds the event loop, whoever sends it and whatever is in it', async () => {
  const stranger = browserOf(service)
  const wrong: string[] = []
  const addresses = [...OWN, ...OTHERS]
  assert.ok(addresses.length > 150, `${addresses.length} forms are sent`)
  for (const [nth, address] of inThisRun([...addresses.entries()], ([at]) => at % 8 === 0))
    for (const [name, make] of inTurn(Object.entries(BODIES), nth))
      for (const bytes of inTurn(SIZES, nth)) {
        const body = make(bytes)
        const tries: Sending[] = [
          { address, body, by: stranger, headers: { 'sec-fetch-site': 'cross-site' } },
          { address, body, by: stranger },
          ...(OWN.includes(address) ? [{ address, body: `csrf=${csrf}&${body}`, by: owner }] : []),
        ]
        for (const one of tries) {
          const held = await holdOf(one)
          if (held !== null) wrong.push(`${held}: ${name}, ${bytes} bytes`)
        }
      }
  assert.deepEqual(wrong, [])
})

test('lines that are pasted up to the limit, in the forms that take them, hold it no longer', async () => {
  const lines = Array.from({ length: 20_000 }, (_, nth) => `0700000000,${1000 + nth},line ${nth}`).join('\n')
  for (const [page, end, field] of [
    ['/dashboard/test/bulk', '/bulk/paste', 'lines'],
    ['/dashboard/test/payroll/new', '/payroll/check', 'recipients'],
  ] as const)
    for (const text of [lines.slice(0, 149_000), `${'"'.repeat(100_000)}`, '\n'.repeat(149_000)]) {
      const { action, fields } = formOf(await owner.get(page), end)
      const typed = { ...fields, amount: '1000', interval: 'daily', [field]: text }
      const body = new URLSearchParams(typed).toString()
      assert.equal(await holdOf({ address: action, body, by: owner }), null, `${page} ${text.slice(0, 20)}`)
    }
})

test('a form of a stranger, or from elsewhere, is answered without its body', async () => {
  const big = `a=${'x'.repeat(600 * KIB)}`
  const stranger = browserOf(service)
  const site = { 'sec-fetch-site': 'cross-site' }
  for (const address of ['/dashboard/test/links/new', '/console/operators/invite', '/dashboard/test/bulk/upload']) {
    assert.equal((await stranger.post(address, big, site)).status, 403, address)
    const led = await stranger.post(address, big)
    assert.equal(led.status, 303, address)
    assert.match(led.location, /\/sign-in$/)
  }
})

test('more than two hundred fields, and more bytes than a form has, are too much; lines have more room', async () => {
  const stranger = browserOf(service)
  const long = (bytes: number) => `csrf=${csrf}&name=${'x'.repeat(bytes)}`
  const many = (count: number) => `csrf=${csrf}&${Array.from({ length: count }, (_, nth) => `f${nth}=`).join('&')}`
  for (const [by, address, body, status] of [
    [stranger, '/dashboard/sign-in', long(17 * KIB), 413],
    [stranger, '/dashboard/sign-in', many(200), 413],
    [stranger, '/console/sign-in', long(17 * KIB), 413],
    [stranger, '/pay/lnk_none/submit', many(200), 413],
    [owner, '/dashboard/test/funds', long(65 * KIB), 413],
    [owner, '/dashboard/test/funds', many(200), 413],
    [owner, '/dashboard/test/funds', many(150), 400],
    [owner, '/dashboard/test/payroll/new', long(300 * KIB), 400],
    [owner, '/dashboard/test/payroll/new', long(513 * KIB), 413],
  ] as const)
    assert.equal((await by.post(address, body)).status, status, `${address} ${body.slice(0, 80)}`)
})
