import assert from 'node:assert/strict'
import { openException } from '../../../src/payments/exceptions/exception.ts'
import type { Mode } from '../../../src/platform/mode.ts'
import type { TestService } from '../service/test-service.ts'
import type { Payer } from './schedules.ts'

/** Opens a critical exception, which pauses the payouts of this merchant in this mode. */
export async function openMismatch(
  service: TestService,
  { merchantId, tag }: Pick<Payer, 'merchantId' | 'tag'>,
  mode: Mode,
): Promise<void> {
  const found = { merchantId, tag, mode, kind: 'mismatch', subject: 'pout_x', details: {} } as const
  const calls = openException(found, service.clock.now())
  await service.app.db.transaction(async (tx) => ({ value: await tx.send(...calls) }))
}

/** Exactly one critical exception about this live subject was opened; it pauses the live payouts of its merchant and no others. */
export async function assertPaused(
  service: TestService,
  merchant: { id: string },
  { subject, kind }: { subject: string; kind: string },
): Promise<void> {
  const open = await service.rows<{ id: string }>(
    'select id, kind, severity, mode, closed_at from exceptions where subject = $1',
    [subject],
  )
  const id = open[0]?.id
  assert.deepEqual(open, [{ id, kind, severity: 'critical', mode: 'live', closed_at: null }])
  const heads = await service.rows(
    `select mode, payouts_paused_by from ledger_heads h join merchants m on m.id = h.merchant_id
     where m.public_id = $1 order by mode`,
    [merchant.id],
  )
  assert.deepEqual(heads, [
    { mode: 'test', payouts_paused_by: null },
    { mode: 'live', payouts_paused_by: id },
  ])
}
