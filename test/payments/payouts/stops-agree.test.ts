import assert from 'node:assert/strict'
import test from 'node:test'
import { findStop, STOP_REFUSALS, type StopKind, stopKindSql } from '../../../src/payments/payouts/find-stop.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

// A stop is judged by a function on locked rows, and by a fragment of SQL in every statement that passes over stopped accounts.
const service = opened(() => startService())
const EITHER = [null, 'a reason'] as const
const CASES = (['live', 'test'] as const).flatMap((mode) =>
  EITHER.flatMap((frozenFor) =>
    EITHER.flatMap((payoutsFrozenFor) =>
      EITHER.map((payoutsPausedBy) => ({ mode, frozenFor, head: { payoutsFrozenFor, payoutsPausedBy } })),
    ),
  ),
)

test('the function and the fragment of SQL name the same stop of an account, for every combination', async () => {
  const kinds = new Set<StopKind | null>()
  for (const facts of CASES) {
    const { mode, frozenFor, head } = facts
    await service.rows('update payout_stops set frozen_for = $1', [frozenFor])
    const [row] = await service.rows<{ kind: StopKind | null }>(
      `select ${stopKindSql('h')} as kind from (select $1::text as mode, $2::text as payouts_frozen_for, $3::text as payouts_paused_by) h`,
      [mode, head.payoutsFrozenFor, head.payoutsPausedBy],
    )
    const kind = row?.kind ?? null
    kinds.add(kind)
    const refusal = kind === null ? null : STOP_REFUSALS[kind]()
    assert.equal(findStop(facts)?.message, refusal?.message, JSON.stringify(facts))
  }
  assert.deepEqual(kinds, new Set(['platform', 'account', 'exception', null]))
})
