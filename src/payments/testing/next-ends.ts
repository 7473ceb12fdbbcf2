import { type Static, Type } from 'typebox'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import type { Answer } from '../../api/http/answer.ts'
import { extendNextEnds } from '../../merchants/account/merchant.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import { newAscendingId } from '../../platform/text/ids.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import { addNextEnd, countNextEnds, MAX_NEXT_ENDS, type SandboxEnd } from '../../rails/next-ends.ts'
import { CHARGE_FAILURES, PAYOUT_FAILURES } from '../../rails/rail.ts'
import { makeInTestMode, type TestAct, type TestMade, type TestRequest } from './in-test-mode.ts'

const MAX_COUNT = 100
const MAX_AFTER_SECONDS = 86_400
const KEPT_MS = 86_400_000
const KINDS = {
  charge: { side: 'collect', reasons: CHARGE_FAILURES },
  payout: { side: 'disburse', reasons: PAYOUT_FAILURES },
} as const

export const TestNextCreateShape = Type.Object(
  {
    kind: Type.Enum(['charge', 'payout'], {
      $id: 'TestNextKind',
      description: 'what is decided',
      examples: ['charge'],
    }),
    phone: Type.String({ format: 'phone', description: 'who pays, or who is paid', examples: ['0700000000'] }),
    outcome: Type.Enum(['succeeded', 'failed', 'pending'], {
      $id: 'TestNextOutcome',
      description:
        'how each ends; `pending`: it stays open for `after_seconds`, as where the operator does not answer, and then ends as its number says',
      examples: ['failed'],
    }),
    reason: Type.Optional(
      Type.Enum([...PAYOUT_FAILURES], {
        $id: 'TestNextReason',
        description: 'why it fails, for `failed` alone; the last two are for payouts',
        examples: ['timeout'],
      }),
    ),
    after_seconds: Type.Optional(
      Type.Integer({
        ...{ minimum: 0, maximum: MAX_AFTER_SECONDS },
        description: 'how long it stays open, of real time; left out: as long as any test payment. `pending` needs it',
      }),
    ),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_COUNT, default: 1, description: 'how many end so' })),
  },
  {
    $id: 'TestNextCreate',
    examples: [{ kind: 'charge', phone: '0700000009', outcome: 'failed', reason: 'timeout' }],
  },
)
type TestNextCreate = Static<typeof TestNextCreateShape>

export const TestNextShape = Type.Object(
  {
    object: Type.Literal('test_next'),
    id: Type.String({ description: 'starts with `next_`' }),
    kind: Type.Enum(['charge', 'payout'], { $id: 'TestNextKind' }),
    phone: Type.String(),
    outcome: Type.Enum(['succeeded', 'failed', 'pending'], { $id: 'TestNextOutcome' }),
    reason: Type.Union([Type.Enum([...PAYOUT_FAILURES], { $id: 'TestNextReason' }), Type.Null()]),
    after_seconds: Type.Union([Type.Integer(), Type.Null()]),
    count: Type.Integer({ description: 'how many payments end so' }),
    expires_at: Type.String({ format: 'date-time', description: 'what is not used by then is forgotten' }),
  },
  { $id: 'TestNext' },
)

/** Decides how the next payments of a phone end in test mode. Throws Refusal. */
export const postNextEnd = (app: App, request: TestRequest<TestNextCreate>): Promise<Answer> =>
  makeInTestMode(app, request, (act) => makeNextEnd(act, request))

async function makeNextEnd(
  { tx, at, terms }: TestAct,
  { caller, given }: TestRequest<TestNextCreate>,
): Promise<TestMade> {
  allow(caller, 'sandbox.next')
  const { kind, phone, count = 1 } = given
  judgeRange('count', count, { low: 1, high: MAX_COUNT })
  const end = judgeEnd(given)
  const merchantId = terms.id
  const until = addMs(at, KEPT_MS)
  // The row of the merchant is locked first, so that two requests at once count one after the other.
  await tx.send(extendNextEnds(merchantId, until))
  if ((await countNextEnds(tx, merchantId, at)) >= MAX_NEXT_ENDS)
    throw domainRefusal(
      'bad_request',
      `at most ${MAX_NEXT_ENDS} wait at a time: let payments use some up, or wait a day`,
    )
  const id = newAscendingId('next_', terms.tag, at)
  const row = { merchantId, id, side: KINDS[kind].side, phone, remaining: count, ...end }
  const view = {
    ...{ object: 'test_next', id, kind, phone, outcome: given.outcome, reason: given.reason ?? null },
    ...{ after_seconds: end.afterSeconds, count, expires_at: until.toISOString() },
  }
  const after = {
    kind,
    phone,
    count,
    outcome: given.outcome,
    reason: given.reason ?? null,
    after_seconds: end.afterSeconds,
  }
  const act = { actor: caller, action: 'sandbox.next', at, merchantId, mode: 'test', subject: id } as const
  return { view, writes: [addNextEnd(row, until), auditRow({ ...act, after })] }
}

/** Checks that outcome, reason and time fit together. Throws 400. */
function judgeEnd({ kind, outcome, reason, after_seconds }: TestNextCreate): SandboxEnd {
  const afterSeconds = after_seconds ?? null
  if (afterSeconds !== null)
    judgeRange('after_seconds', afterSeconds, { low: outcome === 'pending' ? 1 : 0, high: MAX_AFTER_SECONDS })
  if (outcome === 'pending' && afterSeconds === null) throw wrong('after_seconds', 'pending needs after_seconds')
  if (outcome !== 'failed') {
    if (reason !== undefined) throw wrong('reason', 'reason is for outcome failed alone')
    return { outcome: outcome === 'pending' ? null : outcome, afterSeconds }
  }
  const reasons: readonly string[] = KINDS[kind].reasons
  if (reason === undefined || !reasons.includes(reason))
    throw wrong('reason', `a failed ${kind} needs a reason: one of ${reasons.join(', ')}`)
  return { outcome: reason, afterSeconds }
}

function judgeRange(field: string, value: number, { low, high }: { low: number; high: number }): void {
  if (!(value >= low && value <= high)) throw wrong(field, `${field} must be a whole number from ${low} to ${high}`)
}

const wrong = (field: string, text: string) => domainRefusal('bad_request', text, { field })
