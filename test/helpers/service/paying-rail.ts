import type { Clock } from '../../../src/platform/time/clock.ts'
import type { AnswerEvidence, Attempt, Rail, Unavailable } from '../../../src/rails/rail.ts'
import { transactionOf } from '../../fakes/operator-answers.ts'
import { contractOf } from './http-rail.ts'

/** A rail whose operator carries out whatever it is asked. */
export type PayingRail = Rail & {
  /** The payouts it was asked for. */
  asked: readonly Attempt[]
  /** The reason why it takes no payouts from now on. */
  trouble: Pick<Unavailable, 'cure' | 'why'> | null
}

/** Payouts to `noWallet` are refused because nobody has that phone. */
export function payingRail(clock: Clock, { noWallet }: { noWallet?: string } = {}): PayingRail {
  const asked: Attempt[] = []
  const heard = (operation: AnswerEvidence['operation'], stage: AnswerEvidence['stage'] = 'answered') => ({
    evidence: { at: clock.now(), operation, elapsedMs: 1, stage } satisfies AnswerEvidence,
  })
  const taken = () => ({ kind: 'accepted' as const, repeated: false, ...heard('submit') })
  const away = (why: NonNullable<PayingRail['trouble']>) => ({
    ...{ kind: 'unavailable' as const, retryAfterSeconds: 7, ...heard('ready', 'gate') },
    ...why,
  })
  const refused = () => ({
    ...{ kind: 'rejected' as const, reason: 'recipient_not_found' as const, operatorCode: 'NO_WALLET' },
    ...{ ourFault: false, ...heard('submit') },
  })
  const status = async ({ amount, currency, phone, publicId: externalId, reference }: Attempt) => {
    const said = { amount, currency, phone, externalId, railTransactionId: transactionOf(reference) }
    return { kind: 'succeeded' as const, ...said, ...heard('status') }
  }
  const pay = async (attempt: Attempt) => {
    asked.push(attempt)
    if (rail.trouble) return away(rail.trouble)
    return attempt.phone === noWallet ? refused() : taken()
  }
  const rail: PayingRail = {
    ...{ name: 'paying operator', simulated: false, asked, trouble: null },
    installations: [contractOf('paying')],
    collect: { submit: async () => taken(), status },
    disburse: { submit: pay, status },
    readiness: async (side) =>
      rail.trouble === null || side === 'collect' ? { kind: 'ready', installation: 'paying' } : away(rail.trouble),
  }
  return rail
}
