import type { Method } from './view.ts'

type Operator = Exclude<Method, 'card'>

/**
 * How the numbers of an operator begin after the country code. Only a hint, never a refusal: numbers move between
 * operators, and ranges are added.
 */
const PREFIXES: Readonly<Record<Operator, readonly string[]>> = {
  op1_momo: ['76', '77', '78', '31', '39'],
  op2_money: ['70', '74', '75', '20'],
}

/** The same for the script of the form: `op1_momo:76,77;op2_money:70`. */
export const OPERATOR_HINTS = Object.entries(PREFIXES)
  .map(([operator, prefixes]) => `${operator}:${prefixes.join(',')}`)
  .join(';')
