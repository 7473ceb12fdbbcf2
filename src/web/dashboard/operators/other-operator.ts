import { parsePhone } from '../../../platform/text/phone.ts'
import { isLiveChannel } from '../../../rails/live-rails.ts'
import { findOtherChannel } from '../../../rails/number-ranges.ts'
import { DEFAULT_CHANNEL } from '../../../rails/rail.ts'
import { CHANNEL_NAMES } from '../../../reports/words/channels.ts'
import { FieldFault, type FormSpec, type FormValues } from '../../parts/forms/form-spec.ts'
import { OPERATOR_NOTES } from '../texts/operators.ts'
import type { DashboardVisit } from '../visit.ts'

const { otherNumber } = OPERATOR_NOTES
/** The button with which a person says that a number has moved to the operator that is asked. */
export const NUMBER_IS: NonNullable<FormSpec['goOn']> = { name: 'number_is' }

/**
 * Tells of a number that seems to be of another operator than the one that is asked for the money, before it is asked: throws FieldFault,
 * unless the person has said of this number that it is right. In test mode every number is as good as another.
 */
export function checkOperator({ app, mode }: DashboardVisit, values: FormValues): void {
  const phone = parsePhone(values.phone ?? '')
  const other = phone === null || mode === 'test' ? null : findOtherChannel(phone, DEFAULT_CHANNEL)
  if (phone === null || other === null || values[NUMBER_IS.name] === phone) return
  const chosen = CHANNEL_NAMES[DEFAULT_CHANNEL]
  const says = otherNumber.says(CHANNEL_NAMES[other], chosen)
  throw new FieldFault('phone', isLiveChannel(app, other) ? `${says}. ${otherNumber.byLink}` : says, {
    value: phone,
    label: otherNumber.goOn(chosen),
  })
}
