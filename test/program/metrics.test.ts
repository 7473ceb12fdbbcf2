import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ALERT_KINDS, urgencyOf } from '../../src/operations/alerts/kinds.ts'
import { makeProcessReporter } from '../../src/operations/jobs/process-reporter.ts'
import { METRICS } from '../../src/platform/log/metric-table.ts'
import { dashboardFiles } from '../../src/web/docs/dashboards.ts'
import { freePort } from '../helpers/service/free-port.ts'
import { eventually } from '../helpers/service/live-service.ts'
import { opened } from '../helpers/service/opened.ts'
import { startService } from '../helpers/service/test-service.ts'

const OPS = join(import.meta.dirname, '..', '..', '..', 'ops')
const TOKEN = 'look'
const MINUTE = 60_000
const service = opened(() => startService({ env: { METRICS_TOKEN: TOKEN } }))

const scrape = async () =>
  (await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text()
const figureOf = (text: string, series: string) => {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? null : Number(line.slice(series.length + 1))
}

// What is promised to whoever watches the service, by its exact name.
const PROMISED =
  `http_requests_total http_request_seconds admission_refused_total class_in_work event_loop_delay_seconds
  charges_total payouts_total charge_completion_seconds parked parked_oldest_seconds ambiguous_total breaks_open break_oldest_seconds
  invariant_violations verify_last_success_seconds verify_rows balance_inconsistent_total settlement_lag_seconds
  db_pool_in_use db_pool_wait_seconds batch_size batch_seconds db_retries_total commit_unknown_total
  idle_in_transaction_oldest_seconds wal_volume_used_ratio replica_lag_seconds
  sweep_lag_seconds sweep_failed_total lease_lost_total worker_heartbeat_age_seconds
  idempotency_total idempotency_running_oldest_seconds
  webhook_first_attempt_seconds webhook_attempts_total webhook_pending webhook_oldest_seconds webhook_sockets webhook_refused_target_total webhook_addresses_silent
  rail_requests_total rail_seconds breaker_state rail_float_ugx supplier_requests_total dispensing_oldest_seconds
  auth_failures_total rate_limited_total rate_limiter_down signature_failures_total backup_faults wal_stream_silent audit_chain_lag_seconds clock_apart_seconds
  log_lines_dropped_total`
    .trim()
    .split(/\s+/)

test('a running process shows every promised metric, each under the help and the kind of the table', async () => {
  const text = await scrape()
  for (const name of PROMISED) {
    const facts = METRICS[name as keyof typeof METRICS]
    assert.ok(facts, name)
    assert.ok(text.includes(`# HELP ${name} ${facts.help}\n`), name)
    assert.ok(text.includes(`# TYPE ${name} ${facts.kind}\n`), name)
  }
  const shown = [...text.matchAll(/^# TYPE (?!gateway_)(\S+)/gm)].map(([, name]) => name as string)
  assert.deepEqual(
    shown.filter((name) => !(name in METRICS)),
    [],
    'what is shown stands in the table',
  )
  assert.deepEqual(
    Object.keys(METRICS).filter((name) => !shown.includes(name)),
    [],
    'and the other way round',
  )
})

test('no metric has a merchant, a person or an id as a label', () => {
  for (const [name, { labels }] of Object.entries(METRICS))
    for (const label of labels) assert.doesNotMatch(label, /merchant|_id$|^id$|phone|person|key|handle/, name)
})

test('payments, refusals and keys are counted, and nothing of a merchant is in the text', async () => {
  const { id, keys } = await service.merchant()
  const client = service.client(keys.test)
  const key = 'metrics-test-key'
  await client.charge({}, { 'idempotency-key': key })
  await client.charge({}, { 'idempotency-key': key })
  await service.client('sk_test_wrong').get('/v1/charges')
  service.pass(MINUTE)
  await service.run('follow-charges')
  const text = await scrape()
  assert.ok((figureOf(text, 'charges_total{mode="test",status="succeeded"}') ?? 0) >= 1)
  assert.ok((figureOf(text, 'idempotency_total{outcome="new"}') ?? 0) >= 1)
  assert.ok((figureOf(text, 'idempotency_total{outcome="replay"}') ?? 0) >= 1)
  assert.ok((figureOf(text, 'auth_failures_total') ?? 0) >= 1)
  assert.match(text, /^batch_seconds_count\{lane="[^"]+"\} [1-9]/m)
  assert.match(text, /^db_pool_wait_seconds_count\{pool="cell_0"\} [1-9]/m)
  for (const secret of [id, keys.test]) assert.ok(!text.includes(secret))
})

test('what is not known has no value: no worker was heard, and the disk of a server of yours is not ours to see', async () => {
  const text = await scrape()
  for (const name of ['worker_heartbeat_age_seconds', 'wal_volume_used_ratio', 'replica_lag_seconds'])
    assert.equal(figureOf(text, name), null, name)
  assert.equal(figureOf(text, 'settlement_lag_seconds'), 0)
})

test('the addresses beside the first one that take nothing are counted by mode and state, with no word of where they lead', async () => {
  const { id } = await service.merchant()
  const at = service.clock.now().toISOString()
  for (const [number, state, failing] of [
    [2, 'active', 25],
    [3, 'active', 1],
    [4, 'paused', null],
    [5, 'switched_off', 80],
  ])
    await service.rows(
      `insert into cell_0.webhook_addresses (merchant_id, id, mode, number, url, state, state_since, secret, secret_since, failing_since, created_at)
       select m.id, 'wha_' || rpad($2::text, 21, '0'), 'live', $2::int, 'https://books.invalid/' || $2, $3, $4, '\\x00', $4,
         $4::timestamptz - make_interval(hours => $5), $4 from cell_0.merchants m where m.public_id = $1`,
      [id, number, state, at, failing],
    )
  service.pass(MINUTE)
  const text = await scrape()
  for (const [mode, state, count] of [
    ['live', 'failing', 1],
    ['live', 'paused', 1],
    ['live', 'switched_off', 1],
    ['test', 'failing', 0],
    ['test', 'switched_off', 0],
  ])
    assert.equal(figureOf(text, `webhook_addresses_silent{mode="${mode}",state="${state}"}`), count, `${mode} ${state}`)
  assert.ok(!text.includes('books.invalid'))
})

test('the age of the last worker and the lag of its tasks are shown', async () => {
  const told = makeProcessReporter(service.gateway, { role: 'worker', wake: () => {} })
  told.ran(service.app, {
    sweep: { name: 'run-schedules', everyMs: MINUTE, runOnce: async () => 0 },
    ...{ startedAt: service.clock.now(), ms: 5, handled: 0, error: null },
  })
  await told.beat()
  service.pass(10 * MINUTE)
  const text = await scrape()
  const age = figureOf(text, 'worker_heartbeat_age_seconds')
  assert.ok(age !== null && age >= 600 && age < 660, String(age))
  const lag = figureOf(text, 'sweep_lag_seconds{sweep="run-schedules"}')
  assert.ok(lag !== null && lag > 480 && lag < 660, String(lag))
  await told.stop()
})

test('the dashboards are what the table of metrics prints now', () => {
  const written = Object.fromEntries(
    readdirSync(join(OPS, 'grafana'))
      .filter((name) => name.endsWith('.json'))
      .map((name) => [name, readFileSync(join(OPS, 'grafana', name), 'utf8')]),
  )
  assert.deepEqual(written, dashboardFiles(), 'run npm run -s ops')
})

test('every metric that the rules and the dashboards name is in the table', () => {
  const texts = ['alerts.yml', 'tests.yml'].map((name) => readFileSync(join(OPS, 'prometheus', name), 'utf8'))
  const expressions = [
    ...[...texts.join('\n').matchAll(/(?:expr|series): (.+)$/gm)].map(([, text]) => text as string),
    ...Object.values(dashboardFiles()).flatMap((text) =>
      [...text.matchAll(/"expr": "(.+)"/g)].map(([, one]) => one as string),
    ),
  ]
  assert.ok(expressions.length > 60)
  const named = expressions.flatMap((text) =>
    [...text.replace(/"[^"]*"|\\"[^"]*\\"/g, '').matchAll(/\b[a-z]+(?:_[a-z]+)+\b|\bparked\b/g)].map(([name]) => name),
  )
  const known = (name: string) => name.replace(/_(?:bucket|count|sum)$/, '') in METRICS || name in METRICS
  const functions = ['histogram_quantile', 'exp_samples', 'eval_time']
  assert.deepEqual(
    [...new Set(named)].filter((name) => !known(name) && !functions.includes(name)),
    [],
  )
})

test('every rule names a paragraph of the manual, and promtool finds that each speaks when it should', (t) => {
  const rules = readFileSync(join(OPS, 'prometheus', 'alerts.yml'), 'utf8')
  const manual = readFileSync(join(OPS, '..', 'docs', 'operating.md'), 'utf8')
  const named = [...rules.matchAll(/manual: docs\/operating\.md, (\w+)/g)].map(([, kind]) => kind as string)
  assert.equal(named.length, [...rules.matchAll(/- alert: /g)].length)
  for (const kind of named) assert.ok(manual.includes(`\n### ${kind}\n`), kind)
  const labels = [...rules.matchAll(/severity: (\w+), kind: (\w+)/g)].map(([, severity, kind]) => ({
    severity,
    kind,
  }))
  assert.equal(labels.length, named.length)
  const isToday = (kind: string | undefined) =>
    ALERT_KINDS.some((known) => known === kind && urgencyOf(known) === 'today')
  assert.deepEqual(
    labels.filter(({ severity, kind }) => severity === 'page' && isToday(kind)),
    [],
    'a rule wakes nobody for what is for today',
  )
  if (spawnSync('promtool', ['--version']).error) return t.skip('promtool is not installed')
  const run = (...words: string[]) =>
    execFileSync('promtool', words, { cwd: join(OPS, 'prometheus'), encoding: 'utf8' })
  assert.match(run('check', 'rules', 'alerts.yml'), /SUCCESS: \d+ rules found/)
  assert.match(run('test', 'rules', 'tests.yml'), /SUCCESS/)
})

test('the settings of Prometheus, Alertmanager and Grafana are whole, and a scrape by them hears this service', async (t) => {
  const severities = new Set([...readOps('prometheus/alerts.yml').matchAll(/severity: (\w+)/g)].map(([, one]) => one))
  assert.deepEqual([...severities].sort(), ['page', 'today'])
  const routes = readOps('alertmanager/alertmanager.yml')
  for (const severity of severities) assert.ok(routes.includes(`matchers: ['severity="${severity}"']`), severity)
  assert.match(readOps('grafana/provisioning/dashboards/gateway.yml'), /type: file/)
  assert.match(readOps('grafana/provisioning/datasources/prometheus.yml'), /type: prometheus/)
  if (!spawnSync('amtool', ['--version']).error)
    assert.match(
      execFileSync('amtool', ['check-config', join(OPS, 'alertmanager', 'alertmanager.yml')], {
        encoding: 'utf8',
      }),
      /SUCCESS/,
    )
  if (spawnSync('prometheus', ['--version']).error) return t.skip('prometheus is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'))
  const port = await freePort()
  cpSync(join(OPS, 'prometheus'), folder, { recursive: true })
  writeFileSync(join(folder, 'token'), TOKEN)
  const settings = readOps('prometheus/prometheus.yml').replace('localhost:8080', new URL(service.url).host)
  writeFileSync(join(folder, 'prometheus.yml'), settings.replace('scrape_interval: 15s', 'scrape_interval: 1s'))
  execFileSync('promtool', ['check', 'config', 'prometheus.yml'], { cwd: folder })
  const words = ['--config.file=prometheus.yml', '--storage.tsdb.path=data', `--web.listen-address=127.0.0.1:${port}`]
  const prometheus = spawn('prometheus', words, { cwd: folder, stdio: 'ignore' })
  try {
    await eventually('it has scraped this service', async () => {
      const asked = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent('up{role="web"}')}`
      const answer = await fetch(asked).then(
        (reply) => (reply.ok ? reply.json() : null),
        () => null,
      )
      return (answer as any)?.data?.result?.[0]?.value?.[1] === '1'
    })
  } finally {
    prometheus.kill()
    rmSync(folder, { recursive: true, force: true })
  }
})

const readOps = (name: string) => readFileSync(join(OPS, name), 'utf8')
