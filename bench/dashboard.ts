import { createHash, randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { newId, newTag } from '../src/platform/text/ids.ts'
import { addressIn } from '../src/web/dashboard/addresses.ts'
import { DASHBOARD_ROUTES } from '../src/web/dashboard/routes-list.ts'
import { measureConsole } from './console.ts'
import { fillBeside, tallied } from './dashboard-rows.ts'
import { measureExport } from './export.ts'
import { percentile, rounded } from './figures.ts'
import { writeHistories } from './history.ts'
import { atMost } from './report.ts'
import { measureSignIns } from './sign-ins.ts'
import type { Stage } from './stage.ts'

const CHARGES = 1_000_000
const WARM_UP = 20
const SAMPLES = 200
const HOME_BYTES = 50 * 1024
const P99_MS = 30
const EXPORT_SECONDS = 15
const BESIDE_SIGN_INS = 1.1
const FILTERED = [
  '/charges?status=failed',
  '/charges?phone=0700000001&status=succeeded',
  '/payouts?status=failed',
  '/developers/webhooks?status=pending',
  '/developers/webhooks?status=failed',
  '/developers/requests?status=refused',
]

export type Page = { p50_ms: number | null; p99_ms: number | null; bytes: number; status: number }

/**
 * Every page of the dashboard for a merchant with 1,000,000 charges, 100,000 payouts, 1,000,000 deliveries and as many rows of the request
 * log: the time of one request after the other, as its browser would ask.
 */
export async function measureDashboard(stage: Stage) {
  const signIns = await measureSignIns(stage)
  const merchant = stage.others[0] ?? stage.merchants[0]
  if (!merchant) throw new Error('the stage has a merchant')
  await writeHistories(stage, [{ merchant, charges: CHARGES }])
  const ids = await fillBeside(stage, merchant)
  // One browser that asks for 10,000 pages a minute is no person: it is counted, and let through.
  await stage.restart({ RATE_LIMIT_PAGES: '1000000' })
  await tallied(stage, merchant)
  const cookie = `dashboard=${await plantSession(stage, merchant.id)}`
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const pages: Record<string, Page> = {}
  for (const path of [...pathsWith(ids), ...FILTERED]) {
    pages[path] = await measurePage({ port: stage.service.port, agent, cookie }, addressIn('test', path))
    const { p50_ms, p99_ms, status } = pages[path] as Page
    stage.say(`${path}: ${status}, p50 ${p50_ms} ms, p99 ${p99_ms} ms`)
  }
  const consolePages = await measureConsole(stage, agent, {
    '/payments': ids['/charges'] ?? '',
    '/ledger': merchant.publicId,
    '/merchants': merchant.publicId,
  })
  agent.destroy()
  const exported = await measureExport(stage, cookie)
  return {
    scenarios: { dashboard: pages, console: consolePages, dashboard_export: exported, sign_ins: signIns },
    bars: [
      atMost('dashboard_page_p99_ms', P99_MS, worstOf(pages)),
      atMost('console_page_p99_ms', P99_MS, worstOf(consolePages)),
      atMost('dashboard_home_bytes', HOME_BYTES, pages['/']?.bytes ?? null),
      atMost('charge_p99_beside_sign_ins', BESIDE_SIGN_INS, signIns.ratio),
      atMost('dashboard_export_seconds', EXPORT_SECONDS, exported.worst_seconds),
    ],
  }
}

/** The slowest page of those that there are. */
const worstOf = (pages: Readonly<Record<string, Page>>) =>
  Math.max(
    ...Object.values(pages)
      .filter(({ status }) => status === 200)
      .map(({ p99_ms }) => p99_ms ?? 0),
  )

/** The paths of all pages; those about one object with an id of that kind, where the bench has one. */
function pathsWith(ids: Readonly<Record<string, string>>): string[] {
  const paths = DASHBOARD_ROUTES.flatMap((route) => (route.kind === 'page' ? [route.path] : []))
  return paths.flatMap((path) => {
    if (!path.includes(':')) return [path]
    const id = ids[path.split('/:', 1)[0] ?? '']
    return id === undefined ? [] : [path.replace(/:\w+/, id)]
  })
}

type Browser = { port: number; agent: Agent; cookie: string }

export async function measurePage(browser: Browser, path: string): Promise<Page> {
  const times: number[] = []
  let last = { status: 0, bytes: 0 }
  for (let sample = -WARM_UP; sample < SAMPLES; sample += 1) {
    const startedAt = performance.now()
    last = await ask(browser, path)
    if (sample >= 0) times.push(performance.now() - startedAt)
    // A page that is not there, or leads elsewhere, is said and not measured for long.
    if (last.status !== 200) break
  }
  times.sort((a, b) => a - b)
  return {
    p50_ms: rounded(percentile(times, 0.5), 2),
    p99_ms: rounded(percentile(times, 0.99), 2),
    ...last,
  }
}

function ask({ port, agent, cookie }: Browser, path: string): Promise<{ status: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, agent, headers: { cookie } }, (response) => {
      let bytes = response.rawHeaders.reduce((sum, text) => sum + text.length + 2, 20)
      response.on('data', (part: Buffer) => {
        bytes += part.length
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes }))
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** A session of an owner, as a sign-in leaves it. */
async function plantSession({ db }: Stage, merchantId: number): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const { rows } = await db.query(
    `insert into people (public_id, realm, name, email, email_key, confirmed_at, created_at)
     values ($1, 'merchant', 'Bench', 'owner@example.com', 'owner@example.com', now(), now()) returning id`,
    [newId('per_', newTag())],
  )
  await db.query(`insert into memberships (person_id, merchant_id, role, created_at) values ($1, $2, 'owner', now())`, [
    rows[0].id,
    merchantId,
  ])
  await db.query(
    `insert into sessions (id, hash, person_id, merchant_id, stage, stepped_up_at, agent, address, created_at, seen_at, ends_at)
     values ($1, $2, $3, $4, 'in', now(), 'bench', '127.0.0.1', now(), now(), now() + interval '12 hours')`,
    [newId('ses_', newTag()), createHash('sha256').update(token).digest(), rows[0].id, merchantId],
  )
  return token
}
