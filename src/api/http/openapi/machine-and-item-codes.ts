import { type ErrorCode, withHint, withoutHint } from './error-code.ts'

/** Codes of machines and their suppliers, and of single items in an answer to a bulk call that is itself 200. */
export const MACHINE_AND_ITEM_CODES: Readonly<Record<string, ErrorCode>> = {
  vending_disabled: withHint(
    '403',
    'Vending is switched off for your account.',
    'Ask us to switch it on; the same request works then.',
    'after_change',
  ),
  supplier_not_configured: withHint(
    '400',
    'Live machines need a supplier, and none is set for your account.',
    'Ask us to set it; test keys have simulated machines.',
  ),
  charge_not_succeeded: withHint('400', 'Only collected money pays for goods.', 'Wait until the charge has succeeded.'),
  no_vendor_secret: withHint('400', 'There is no secret to sign a report with.', 'Make a dispense secret first.'),
  not_dispensing: withoutHint('409', 'No command is open for this order.', 'Read the order.', 'no'),
  invalid_item: withoutHint(
    '200 (item)',
    'One item of a bulk call cannot be read.',
    'Mend the item and send it again; the others were made.',
    'after_change',
  ),
  reference_conflict: withoutHint(
    '200 (item)',
    'The reference of the item was used for other details.',
    'Use a new reference for a new payment.',
    'no',
  ),
  reference_in_flight: withoutHint(
    '200 (item)',
    'A call with the same reference is under way.',
    'Send the item again shortly.',
    'same_key',
  ),
}
