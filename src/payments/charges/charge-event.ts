import { Type } from 'typebox'
import { type Charge, findSplit, presentFields, SHOWN_CHARGE_FIELDS } from './charge.ts'
import { SplitEventShape, splitEventData } from './charge-split.ts'

/** The fields of charge.succeeded and charge.failed, in the order of canonical JSON (contract.md section 5). */
const EVENT_FIELDS = [
  ...SHOWN_CHARGE_FIELDS.filter(({ notInEvents }) => !notInEvents).map((field) => ({
    ...field,
    value: field.eventValue ?? field.value,
  })),
  {
    name: 'merchant_reference',
    value: ({ reference }: Charge) => reference,
    schema: Type.Union([
      Type.String({ description: 'your own reference, the same value as `reference`' }),
      Type.Null(),
    ]),
  },
  { name: 'split', value: findSplitForEvent, schema: Type.Optional(SplitEventShape) },
].sort((a, b) => (a.name < b.name ? -1 : 1))

/** A charge as events show it. */
export const ChargeEventShape = Type.Object(
  Object.fromEntries(EVENT_FIELDS.map(({ name, schema }) => [name, schema])),
  { $id: 'ChargeEventData' },
)

/** The data of charge.succeeded and charge.failed. */
export const chargeEventData = (charge: Charge): Record<string, unknown> => presentFields(EVENT_FIELDS, charge)

function findSplitForEvent(charge: Charge) {
  const split = findSplit(charge)
  return split === null ? undefined : splitEventData(split)
}
