import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const UNITS = ['gateway-web@.service', 'gateway-worker.service']
// What a stop may take at most: DRAIN_SECONDS of production or of these files, then half a minute (src/main.ts).
const LONGEST_STOP_SECONDS = 10 + 30
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Runs a program on the machine and returns what it said; skips the test where it is not installed. */
function ask(t: TestContext, program: string, ...words: string[]): string | null {
  const { error, status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', timeout: 30_000 })
  if (error !== undefined) {
    t.skip(`${program} is not installed`)
    return null
  }
  assert.equal(status, 0, `${program}: ${stdout}${stderr}`)
  return `${stdout}${stderr}`
}

function folder(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'deployment-'))
  t.after(() => rmSync(made, { recursive: true }))
  return made
}

test('nginx takes its example', (t) => {
  const made = folder(t)
  // The example names a certificate of yours, which is made here.
  const [key, certificate] = [join(made, 'privkey.pem'), join(made, 'fullchain.pem')]
  const subject = ['-subj', '/CN=pay.example.org', '-keyout', key, '-out', certificate]
  if (ask(t, 'openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject) === null) return
  writeFileSync(join(made, 'gateway.conf'), read('ops/nginx/gateway.conf').replaceAll('/etc/ssl/gateway', made))
  writeFileSync(
    join(made, 'nginx.conf'),
    `events {}\npid ${made}/pid;\nerror_log ${made}/log;\nhttp { access_log off; include ${made}/gateway.conf; }\n`,
  )
  ask(t, 'nginx', '-t', '-c', join(made, 'nginx.conf'))
})

test('systemd takes both units, and calls them well protected', (t) => {
  const made = folder(t)
  // systemd looks whether the program is there.
  mkdirSync(join(made, 'bin'))
  cpSync(process.execPath, join(made, 'bin', 'node'))
  for (const name of UNITS) {
    const unit = join(made, name.replace('@', '@8081'))
    writeFileSync(unit, read(`ops/systemd/${name}`).replace('/usr/bin/node', join(made, 'bin', 'node')))
    if (ask(t, 'systemd-analyze', 'verify', unit) === null) return
    const said = ask(t, 'systemd-analyze', 'security', '--offline=true', '--threshold=20', unit)
    assert.match(said ?? '', /Overall exposure level/)
  }
})

test('both units have the same walls', () => {
  const [web, worker] = UNITS.map((name) => read(`ops/systemd/${name}`).replace(/^[\s\S]*?^(?=User=)/m, ''))
  assert.equal(web, worker)
})

test('whatever starts the service leaves it the time that a stop may take', () => {
  const seconds = (path: string, pattern: RegExp) =>
    [...read(path).matchAll(pattern)].map(([, number]) => Number(number))
  const given = [
    ...seconds('compose.yaml', /stop_grace_period: (\d+)s/g),
    ...UNITS.flatMap((name) => seconds(`ops/systemd/${name}`, /^TimeoutStopSec=(\d+)$/gm)),
    ...['web', 'worker'].flatMap((role) =>
      seconds(`ops/kubernetes/${role}.yaml`, /terminationGracePeriodSeconds: (\d+)/g),
    ),
  ]
  assert.equal(given.length, 6)
  assert.ok(
    given.every((time) => time > LONGEST_STOP_SECONDS),
    `${given}`,
  )
})

test('every proxy in front lets the largest file pass, and waits as long as an answer may take', () => {
  for (const [path, body, wait] of [
    ['ops/nginx/gateway.conf', 'client_max_body_size 16m;', 'proxy_read_timeout 360s;'],
    ['ops/caddy/Caddyfile', 'max_size 16MB', 'response_header_timeout 6m'],
    ['ops/kubernetes/ingress.yaml', 'proxy-body-size: 16m', "proxy-read-timeout: '360'"],
  ] as const) {
    assert.ok(read(path).includes(body), path)
    assert.ok(read(path).includes(wait), path)
  }
})
