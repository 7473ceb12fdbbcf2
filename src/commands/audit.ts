import { userInfo } from 'node:os'
import type { Gateway } from '../app.ts'
import { statement } from '../platform/db/statement.ts'

const ADD = statement(
  'add audit row',
  'insert into audit (at, actor, action, merchant_id, details) values ($1, $2, $3, $4, $5)',
)

/** Records an act of the command line with the system account that did it; no secrets. */
export async function writeAudit(
  gateway: Gateway,
  act: { action: string; merchantId?: number; details: object },
): Promise<void> {
  const { action, merchantId = null, details } = act
  await gateway.directory.query(ADD, [
    gateway.clock.now().toISOString(),
    actor(),
    action,
    merchantId,
    JSON.stringify(details),
  ])
}

function actor(): string {
  try {
    return `command line: ${userInfo().username}`
  } catch {
    return `command line: uid ${process.getuid?.() ?? 'unknown'}`
  }
}
