import { type Static, Type } from 'typebox'
import { CHANNELS } from '../rails/rail.ts'

/** ChargeCreate (spec 2.1), in the order in which faults are reported. */
export const ChargeCreateShape = Type.Object(
  {
    amount: Type.Integer({ description: 'whole UGX, greater than 0', examples: [5000] }),
    currency: Type.Optional(Type.String({ description: 'only `UGX`', default: 'UGX' })),
    channel: Type.Enum([...CHANNELS], {
      description: '`op1_momo` (live); `op2_money` and `card` with test keys only',
    }),
    customer: Type.Object({
      phone: Type.String({
        format: 'phone',
        description: 'mobile number in any written form',
        examples: ['0700000000'],
      }),
      email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
    }),
    reference: Type.Optional(Type.String({ maxLength: 255, description: 'your own business reference' })),
    split: Type.Optional(Type.Array(Type.Unknown(), { description: 'shares of the net for subaccounts' })),
  },
  { $id: 'ChargeCreate' },
)
export type ChargeCreate = Static<typeof ChargeCreateShape>
