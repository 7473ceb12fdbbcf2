import { type Answer, NOT_FOUND, refusal, UNKNOWN_PATH } from './answer.ts'
import { jsonOf, keyRefusal, type Request, referenceOf, referenceRefusal } from './checks.ts'
import type { Desk } from './payments.ts'

/** How a developer makes a user of the operator's sandbox (rails.md 3.3). Elsewhere users are made in its portal. */
export function provision(
  { world, profile }: Desk,
  request: Request,
  { id, key }: { id: string | undefined; key: boolean },
): Answer {
  if (!profile.provisions) return UNKNOWN_PATH
  const denied = keyRefusal(request, world, null)
  if (denied !== null) return denied
  const { accounts, targetEnvironment } = world
  if (id === undefined) return request.method === 'POST' ? makeUser(world, request) : UNKNOWN_PATH
  const user = accounts.users.get(id.toLowerCase())
  if (user === undefined) return NOT_FOUND
  if (key && request.method === 'POST') return { status: 201, body: { apiKey: accounts.makeKey(id.toLowerCase()) } }
  if (!key && request.method === 'GET')
    return { status: 200, body: { providerCallbackHost: user.host, targetEnvironment } }
  return UNKNOWN_PATH
}

function makeUser(world: Desk['world'], request: Request): Answer {
  const { users } = world.accounts
  const id = referenceOf(request)
  const refused = referenceRefusal(request, world, users.has(id))
  if (refused !== null) return refused
  const host = jsonOf(request.body)?.providerCallbackHost
  if (typeof host !== 'string' || host === '' || host.includes('/'))
    return refusal(400, 'VALIDATION_ERROR', 'providerCallbackHost is not a host')
  users.set(id, { host, key: null })
  return { status: 201 }
}
