import type { Method } from './view.ts'

type PhoneMethod = Exclude<Method, 'card'>

/**
 * The first digits of each operator's numbers after the country code. They only give a hint and never refuse a number:
 * numbers move between operators, and operators get new ranges.
 */
const PREFIXES: Readonly<Record<PhoneMethod, readonly string[]>> = {
  op1_momo: ['76', '77', '78', '31', '39'],
  op2_money: ['70', '74', '75', '20'],
}

/** PREFIXES as text for the script of the form: `op1_momo:76,77;op2_money:70`. */
export const OPERATOR_HINTS = Object.entries(PREFIXES)
  .map(([operator, prefixes]) => `${operator}:${prefixes.join(',')}`)
  .join(';')
