import type { TestService } from '../service/test-service.ts'

// What a payout of 5000 (`PAYOUT`) does to its merchant's money.
export const COST = 5200
export const AMBIGUOUS = 'ambiguous_network_error_pending_reconciliation'

/** The transfers of a payout in order, as kind and amount. */
export const postingsOf = async (service: TestService, subject: string): Promise<[string, number][]> =>
  (
    await service.rows<{ kind: string; amount: string }>(
      'select kind, amount from transfers where subject = $1 order by seq',
      [subject],
    )
  ).map(({ kind, amount }) => [kind, Number(amount)])

/** The transfer at acceptance, and those of each end. */
export const RESERVED: [string, number][] = [['payout_reserve', COST]]
export const PAID: [string, number][] = [...RESERVED, ['payout_sent', 5000], ['payout_fee', 200]]
export const RETURNED: [string, number][] = [...RESERVED, ['payout_return', COST]]
