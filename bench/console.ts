import { createHash, randomBytes } from 'node:crypto'
import type { Agent } from 'node:http'
import { newId, newTag } from '../src/platform/text/ids.ts'
import { consoleAddress } from '../src/web/console/addresses.ts'
import { CONSOLE_ROUTES } from '../src/web/console/routes-list.ts'
import { measurePage, type Page } from './dashboard.ts'
import type { Stage } from './stage.ts'

/** What is looked for and filtered, and finds something among the million. */
const FILTERED = [
  '/search?q=0700000001',
  '/search?q=order-77',
  '/parked?age=6h',
  '/audit?place=directory&action=account.sign-in',
]

/** Every page of the console beside the merchant with a million charges; those about one object with an id of that kind. */
export async function measureConsole(
  stage: Stage,
  agent: Agent,
  ids: Readonly<Record<string, string>>,
): Promise<Record<string, Page>> {
  const cookie = `console=${await plantOperator(stage)}`
  const pages: Record<string, Page> = {}
  const paths = CONSOLE_ROUTES.flatMap((route) => (route.kind === 'page' ? pathsOf(route.path, ids) : []))
  for (const path of [...paths, ...FILTERED]) {
    const address = consoleAddress(path)
    pages[address] = await measurePage({ port: stage.service.port, agent, cookie }, address)
    const { p50_ms, p99_ms, status } = pages[address] as Page
    stage.say(`${address}: ${status}, p50 ${p50_ms} ms, p99 ${p99_ms} ms`)
  }
  return pages
}

/** The path with an id in it, where the bench has one of that kind. */
function pathsOf(path: string, ids: Readonly<Record<string, string>>): string[] {
  if (!path.includes(':')) return [path]
  const id = ids[path.split('/:', 1)[0] ?? '']
  return id === undefined ? [] : [path.replace(/:\w+/, id)]
}

/** A session of an operator of the role admin, as a sign-in leaves it. */
export async function plantOperator({ db }: Stage): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const { rows } = await db.query(
    `insert into people (public_id, realm, name, email, email_key, confirmed_at, created_at, operator_role)
     values ($1, 'operator', 'Bench', 'operator@example.com', 'operator@example.com', now(), now(), 'admin') returning id`,
    [newId('per_', newTag())],
  )
  await db.query(
    `insert into sessions (id, hash, person_id, stage, stepped_up_at, agent, address, created_at, seen_at, ends_at)
     values ($1, $2, $3, 'in', now(), 'bench', '127.0.0.1', now(), now(), now() + interval '8 hours')`,
    [newId('ses_', newTag()), createHash('sha256').update(token).digest(), rows[0].id],
  )
  return token
}
