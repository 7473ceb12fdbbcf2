import { type Static, Type } from 'typebox'

/** A party that shares of charges are paid to. Its identity is the same in both modes, its balances are not (G27). */
export type Subaccount = {
  merchantId: number
  id: string
  name: string
  status: SubaccountStatus
  externalRef: string | null
  payoutPhone: string | null
  createdAt: Date
}
export type SubaccountStatus = 'active' | 'inactive'

export const SUBACCOUNT_COLUMNS = `s.merchant_id as "merchantId", s.id, s.name, s.status, s.external_ref as "externalRef",
  s.payout_phone as "payoutPhone", s.created_at as "createdAt"`

const nullable = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()])

/** SubaccountCreate (spec 2.8). A missing name has its own text, so it is checked with the rules. */
export const SubaccountCreateShape = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 200, description: 'required', examples: ['Farm B'] })),
    payout_phone: Type.Optional(Type.String({ format: 'phone', description: 'where pay-outs of this subaccount go' })),
    external_ref: Type.Optional(Type.String({ maxLength: 255, description: 'your own reference; need not be unique' })),
  },
  { $id: 'SubaccountCreate', examples: [{ name: 'Farm B' }] },
)
export type SubaccountCreate = Static<typeof SubaccountCreateShape>

/** The subaccount as the API's create and list show it. */
export const SubaccountShape = Type.Object(
  {
    id: Type.String({ description: 'starts with `sub_`' }),
    name: Type.String(),
    external_ref: nullable(Type.String()),
    payout_phone: nullable(Type.String()),
    status: Type.Enum(['active', 'inactive'], { $id: 'SubaccountStatus' }),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'Subaccount' },
)

/** The subaccount as the API shows it by id: with its balances. */
export const SubaccountWithBalancesShape = Type.Object(
  {
    ...SubaccountShape.properties,
    balances: Type.Array(
      Type.Object(
        {
          currency: Type.Literal('UGX'),
          available: Type.Integer(),
          pending: Type.Integer({ description: 'shares that are still in their hold' }),
          total: Type.Integer(),
        },
        { $id: 'SubaccountBalance' },
      ),
      { description: "in the key's mode" },
    ),
  },
  { $id: 'SubaccountWithBalances' },
)

export function presentSubaccount(subaccount: Subaccount) {
  return {
    id: subaccount.id,
    name: subaccount.name,
    external_ref: subaccount.externalRef,
    payout_phone: subaccount.payoutPhone,
    status: subaccount.status,
    created_at: subaccount.createdAt.toISOString(),
  }
}

/** Whole UGX. */
export function presentWithBalances(
  subaccount: Subaccount,
  { available, pending }: { available: number; pending: number },
) {
  const balances = [{ currency: 'UGX', available, pending, total: available + pending }]
  return { ...presentSubaccount(subaccount), balances }
}
