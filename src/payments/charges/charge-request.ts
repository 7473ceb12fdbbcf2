import { type Static, Type } from 'typebox'
import { METADATA_CREATE } from '../../api/http/bodies/metadata.ts'
import { FEE_MIN, MIN_CHARGE_AMOUNT } from '../../ledger/fees.ts'
import { CHANNELS } from '../../rails/rail.ts'
import { MAX_PARTIES } from '../subaccounts/split.ts'

const subaccount = Type.String({ description: 'starts with `sub_`' })

/** Only describes the items: the rules check them, with their own texts (G8). */
const SplitItem = Type.Unsafe<unknown>(
  Type.Union(
    [
      Type.Object(
        { subaccount, amount: Type.Integer({ minimum: 1, description: 'whole UGX of the net' }) },
        { $id: 'SplitByAmount' },
      ),
      Type.Object(
        {
          subaccount,
          bps: Type.Integer({
            minimum: 1,
            maximum: 10_000,
            description: 'basis points of the net, 100 = 1 %, rounded down',
          }),
        },
        { $id: 'SplitByPoints' },
      ),
    ],
    { $id: 'SplitCreate' },
  ),
)

/** The amount that a customer is asked to pay. An amount up to the least fee would leave the merchant nothing. */
export const grossAmount = (example: number) =>
  Type.Integer({
    minimum: MIN_CHARGE_AMOUNT,
    maximum: Number.MAX_SAFE_INTEGER,
    description: `whole UGX, greater than ${FEE_MIN}, the least fee`,
    examples: [example],
  })

/** ChargeCreate (spec 2.1), in the order in which faults are reported. */
export const ChargeCreateShape = Type.Object(
  {
    amount: grossAmount(5000),
    currency: Type.Optional(Type.String({ pattern: '^UGX$', description: 'only `UGX`', default: 'UGX' })),
    channel: Type.Enum([...CHANNELS], {
      $id: 'Channel',
      description: '`op1_momo` (live); `op2_money` and `card` with test keys only',
    }),
    customer: Type.Object(
      {
        phone: Type.String({
          format: 'phone',
          description: 'mobile number in any written form',
          examples: ['0700000000'],
        }),
        email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
        name: Type.Optional(
          Type.String({ maxLength: 100, description: 'who pays, as you know them', examples: ['Aisha Namukasa'] }),
        ),
      },
      { $id: 'ChargeCustomerCreate' },
    ),
    reference: Type.Optional(Type.String({ maxLength: 255, description: 'your own business reference' })),
    split: Type.Optional(
      Type.Array(SplitItem, {
        minItems: 1,
        maxItems: MAX_PARTIES,
        description: 'shares of the net for subaccounts; the rest stays yours',
      }),
    ),
    metadata: METADATA_CREATE,
  },
  { $id: 'ChargeCreate' },
)
export type ChargeCreate = Static<typeof ChargeCreateShape>

const textOrNull = (description: string) => Type.Union([Type.String({ description }), Type.Null()])

/** `customer` as answers and events show it. */
export const ChargeCustomerShape = Type.Object(
  {
    phone: textOrNull('digits with the country code'),
    name: textOrNull('as you gave it'),
    email: textOrNull('as you or the customer gave it'),
  },
  { $id: 'ChargeCustomer', description: 'who pays; null where nothing is known' },
)
