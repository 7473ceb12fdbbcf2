import { type Static, Type } from 'typebox'
import { METADATA_CREATE, metadataOrNull } from '../../api/http/bodies/metadata.ts'
import { DEFAULT_CHANNEL } from '../../rails/rail.ts'
import type { Payout } from './payout.ts'

/** The only channel with a disbursement rail, and the one of a payout that names none. */
export const DEFAULT_PAYOUT_CHANNEL = DEFAULT_CHANNEL

/** The schema of a payout's channel in answers. */
export const PayoutChannelShape = Type.Enum([DEFAULT_PAYOUT_CHANNEL], { $id: 'PayoutChannel' })

/** PayoutCreate (spec 2.4), in the order in which faults are reported. */
export const PayoutCreateShape = Type.Object(
  {
    amount: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'whole UGX, greater than 0',
      examples: [5000],
    }),
    currency: Type.Optional(Type.String({ pattern: '^UGX$', description: 'only `UGX`', default: 'UGX' })),
    channel: Type.Optional(
      Type.String({
        pattern: `^${DEFAULT_PAYOUT_CHANNEL}$`,
        description: 'only `op1_momo` has a disbursement rail',
        default: DEFAULT_PAYOUT_CHANNEL,
      }),
    ),
    recipient: Type.Object(
      {
        phone: Type.String({
          format: 'phone',
          description: 'mobile number in any written form',
          examples: ['0700000000'],
        }),
        name: Type.Optional(Type.String({ maxLength: 200 })),
      },
      { $id: 'PayoutRecipientCreate' },
    ),
    reference: Type.Optional(Type.String({ maxLength: 255, description: 'your own business reference' })),
    metadata: METADATA_CREATE,
  },
  { $id: 'PayoutCreate' },
)
export type PayoutCreate = Static<typeof PayoutCreateShape>

/** What a caller says of a payout and we only carry: stored and shown, never judged. */
export type PayoutDetails = Pick<Payout, 'reference' | 'metadata'>

/** Reads the details of a request; null for those that it does not have. */
export const readPayoutDetails = (input: Partial<PayoutCreate>): PayoutDetails => ({
  reference: input.reference ?? null,
  metadata: metadataOrNull(input.metadata),
})
