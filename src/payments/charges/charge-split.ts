import { type Static, Type } from 'typebox'
import type { ChargeShare } from '../subaccounts/shares.ts'
import type { Charge } from './charge.ts'

/** The name of the last row of a split, which is the part that stays with the merchant. */
const RESIDUAL_NAME = 'platform_residual'

const SplitRowShape = Type.Object(
  {
    subaccount: Type.String({ description: `\`sub_...\`, in the last row \`${RESIDUAL_NAME}\`` }),
    platform: Type.Boolean({ description: 'true in the last row: what the shares leave to you' }),
    amount: Type.Integer({ minimum: 0, description: 'whole UGX' }),
    settlement_status: Type.Enum(['pending', 'available', 'reversed'], { $id: 'SplitSettlementStatus' }),
    settled_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  },
  { $id: 'SplitRow' },
)
type SplitRow = Static<typeof SplitRowShape>

/** `split` as a charge shows it (G7). */
export const SplitShape = Type.Array(SplitRowShape, {
  description: 'only on split charges: the shares in the order of the request, then the remainder, even when 0',
})

/** `split` in an event, where the keys of a row stand in the order of canonical JSON. */
export const SplitEventShape = Type.Array(SplitRowShape)

/** Makes one row for each share, then the row of the part that stays with the merchant (`residual`, whole UGX). */
export function presentSplit(
  charge: Pick<Charge, 'status' | 'settledAt'>,
  shares: readonly ChargeShare[],
  residual: number,
): SplitRow[] {
  const reversed = charge.status === 'failed'
  return [
    ...shares.map((share) => presentShare(share.subaccountId, share)),
    {
      ...presentShare(RESIDUAL_NAME, { amount: residual, reversed, settledAt: charge.settledAt }),
      platform: true,
    },
  ]
}

export const splitEventData = (rows: readonly SplitRow[]) =>
  rows.map(({ amount, platform, settled_at, settlement_status, subaccount }) => ({
    amount,
    platform,
    settled_at,
    settlement_status,
    subaccount,
  }))

function presentShare(
  subaccount: string,
  { amount, reversed, settledAt }: Pick<ChargeShare, 'amount' | 'reversed' | 'settledAt'>,
): SplitRow {
  return {
    subaccount,
    platform: false,
    amount,
    settlement_status: reversed ? 'reversed' : settledAt === null ? 'pending' : 'available',
    settled_at: settledAt?.toISOString() ?? null,
  }
}
