import type { Installation } from '../rails/rail.ts'

type Contract = Pick<Installation, 'id' | 'currency'>
/** The currencies in which a line may be, and how that is said to whoever has the file. */
export type Currencies = { allowed: ReadonlySet<string>; said: string }

const OURS = 'UGX'

/**
 * In which currency the lines of a file must be: that of the contract that it is of, or of any when nobody knows (rails.md 5.1). The
 * currency of a contract stands for ours: the operator's own sandbox moves euros.
 */
export function currenciesOf(contracts: readonly Contract[], installation: string | null): Currencies {
  const own = contracts.filter(({ id }) => installation === null || id === installation)
  const each = new Set(own.length === 0 ? [OURS] : own.map(({ currency }) => currency.toUpperCase()))
  const named = own.length === 1 && own[0] !== undefined ? `, which ${own[0].id} moves` : ''
  return { allowed: each, said: `${[...each].join(' or ')}${named}` }
}
