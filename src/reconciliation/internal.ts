import type { App } from '../app.ts'
import { openException } from '../exceptions/exception.ts'
import { openPlatformException } from '../exceptions/platform-exceptions.ts'
import { statement } from '../platform/db/statement.ts'
import { writeAll } from '../platform/db/write-all.ts'
import { tagOf } from '../platform/ids.ts'
import { OVERDUE_INVARIANTS } from '../verify/overdue-invariants.ts'
import { type Finding, verifyCell } from '../verify/verify.ts'
import { emptyLeg, type Leg } from './leg.ts'

const MERCHANT = statement<{ id: number }>('merchant of offender', 'select id from merchants where tag = $1')
// Work that is overdue is no break of the books; the alerts tell of it.
const OVERDUE = new Set(OVERDUE_INVARIANTS.map(({ id }) => id))

/**
 * Leg 1: the invariants of the ledger. A breach is critical for the merchant whose row breaks it, else for the platform, and
 * only a person closes it (rails.md 5.4).
 */
export async function checkInternal(app: App): Promise<Leg> {
  const leg = emptyLeg('internal')
  for (const finding of await verifyCell(app.db, app.clock.now())) {
    if (OVERDUE.has(finding.id)) continue
    leg.lookedAt += 1
    if (finding.violations === 0) leg.agreed += 1
    else leg.opened += await report(app, finding)
  }
  return leg
}

async function report(app: App, { id, says, offenders }: Finding): Promise<number> {
  const at = app.clock.now()
  for (const offender of offenders) {
    const subject = `${id} ${offender}`
    const merchant = await merchantOf(app, offender)
    if (merchant === null) {
      const opening = openPlatformException({ kind: 'ledger_breach', subject, details: { says } }, at)
      await app.directory.query(opening.statement, opening.values)
    } else {
      const found = { ...merchant, mode: 'live', kind: 'ledger_breach', subject, details: { says } } as const
      await writeAll(app.db, openException(found, at))
    }
  }
  return offenders.length
}

const PREFIXES = ['txn_', 'pout_', 'top_', 'lnk_', 'stl_', 'evt_', 'exc_']

async function merchantOf(app: App, offender: string): Promise<{ merchantId: number; tag: string } | null> {
  const [word = ''] = offender.split(' ')
  const tag = PREFIXES.map((prefix) => tagOf(prefix, word)).find((found) => found !== null)
  const [row] = tag ? await app.db.query(MERCHANT, [tag]) : []
  return row && tag ? { merchantId: row.id, tag } : null
}
