import { randomBytes } from 'node:crypto'
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { run } from '../../release/run.mjs'
import { inspect, podman, podmanReading, until } from './podman.mjs'

const DATABASE = ['-h', '/run/postgresql', '-U', 'gateway_owner', '-d', 'gateway']
const LIMITS_OFF = ['RATE_LIMIT_CHARGES', 'RATE_LIMIT_READS', 'RATE_LIMIT_ALL'].map((name) => `${name}=0\n`).join('')

/** The services of compose.yaml in a folder with an unpacked artefact, under a name of their own, with settings as docs/installing.md makes them. */
export async function openProject(folder, name, image) {
  const [https, http] = [await freePort(), await freePort()]
  const secret = () => randomBytes(24).toString('hex')
  const owner = secret()
  const login = secret()
  const backup = secret()
  const token = secret()
  const settings = {
    ...{ NODE_ENV: 'production', BASE_URL: `https://localhost:${https}`, TRUSTED_PROXIES: '1' },
    DATABASE_URL: `postgres://gateway_login:${login}@localhost/gateway?host=/run/postgresql`,
    MASTER_KEY: randomBytes(32).toString('base64'),
    BACKUP_DIR: '/backups',
    ...{ METRICS_TOKEN: token, ALERT_MAIL: 'ops@example.org' },
  }
  const ofBackups = {
    BACKUP_KEY: randomBytes(32).toString('base64'),
    BACKUP_DATABASE_URL: `postgres://gateway_backup:${backup}@localhost/gateway?host=/run/postgresql`,
  }
  const outside = {
    DOMAIN: 'localhost',
    HTTPS_PORT: https,
    HTTP_PORT: http,
    OWNER_PASSWORD: owner,
    LOGIN_PASSWORD: login,
    BACKUP_PASSWORD: backup,
  }
  writeFileSync(join(folder, '.env'), lines({ ...outside, GATEWAY_IMAGE: image, SHARED_BUFFERS: '128MB' }))
  writeFileSync(join(folder, 'gateway.env'), lines(settings))
  appendFileSync(join(folder, 'gateway.env'), LIMITS_OFF)
  writeFileSync(join(folder, 'backup.env'), lines(ofBackups))
  writeFileSync(join(folder, 'metrics-token'), token)
  const container = (service) => `${name}_${service}_1`
  return {
    ...{ folder, name, settings, url: settings.BASE_URL, container },
    compose: (...words) => run('podman-compose', ['-p', name, ...words], { cwd: folder }),
    /** Asks the database itself, as the owner of the schema. */
    sql(text) {
      const password = ['--env', `PGPASSWORD=${owner}`]
      const psql = ['psql', ...DATABASE, '-v', 'ON_ERROR_STOP=1', '-At']
      return podmanReading(text, 'exec', '--interactive', ...password, container('postgres'), ...psql)
    },
    gateway: (...words) => podman('exec', container('worker'), 'gateway', ...words),
    mails: () => readMails(`${name}_data`),
  }
}

const lines = (values) =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/** What the service has sent while it has no mail server. */
export function readMails(volume) {
  const folder = join(podman('volume', 'inspect', volume, '--format', '{{.Mountpoint}}'), 'mail')
  return readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
}

/** The database, its schema, and an alert that somebody has confirmed, without which production does not start. */
export async function prepare({ compose, container, mails }) {
  compose('up', '-d', 'postgres')
  const ask = ['exec', container('postgres'), 'pg_isready', '-q', ...DATABASE]
  await until('the database is there', 60, () => succeeds(() => podman(...ask)))
  compose('run', '--rm', '-T', 'migrate')
  compose('run', '--rm', '-T', 'worker', 'alerts', 'test')
  const code = /--code (\w+)/.exec(mails().join('\n'))?.[1] ?? ''
  compose('run', '--rm', '-T', 'worker', 'alerts', 'test', '--code', code)
}

export function succeeds(work) {
  try {
    work()
    return true
  } catch {
    return false
  }
}

/** Starts everything, and waits until Caddy lets requests through. Returns the certificate of its own authority. */
export async function start({ compose, container }) {
  compose('up', '-d')
  const file = '/data/caddy/pki/authorities/local/root.crt'
  const authority = await until('Caddy has made its authority', 30, () => {
    try {
      return podman('exec', container('caddy'), 'cat', file)
    } catch {
      return null
    }
  })
  for (const service of ['web1', 'web2', 'worker']) await untilReady(container(service))
  return authority
}

export const untilReady = (name) =>
  until(`${name} is ready`, 60, () => succeeds(() => podman('exec', name, 'node', '/opt/gateway/bin/healthy.mjs')))

/** Ends everything that the project made. Returns the exit code of each container that it stopped. */
export function close({ name, compose, container }) {
  const codes = {}
  for (const service of ['caddy', 'web1', 'web2', 'worker', 'backup', 'stream', 'postgres']) {
    if (!succeeds(() => podman('container', 'exists', container(service)))) continue
    succeeds(() => podman('stop', '--time', '45', container(service)))
    codes[service] = inspect(container(service)).State.ExitCode
  }
  succeeds(() => compose('down', '--volumes'))
  removeAll(name)
  return codes
}

/** What compose leaves behind, or a drill that was cut short. */
export function removeAll(name) {
  const named = (...words) =>
    podman(...words, '--filter', `name=${name}_`, '--format', '{{.Name}}')
      .split('\n')
      .filter(Boolean)
  const containers = podman('ps', '--all', '--filter', `name=${name}_`, '--format', '{{.Names}}')
    .split('\n')
    .filter(Boolean)
  if (containers.length > 0) succeeds(() => podman('rm', '--force', '--volumes', '--time', '0', ...containers))
  for (const volume of named('volume', 'ls')) succeeds(() => podman('volume', 'rm', '--force', volume))
  for (const network of named('network', 'ls')) succeeds(() => podman('network', 'rm', '--force', network))
}
