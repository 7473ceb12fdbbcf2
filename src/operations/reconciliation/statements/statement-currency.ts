import type { Installation } from '../../../rails/rail.ts'

type CurrencyInstallation = Pick<Installation, 'id' | 'currency'>
/** The currencies that a line may have, and their description for the owner of the file. */
export type AllowedCurrencies = { allowed: ReadonlySet<string>; text: string }

const OUR_CURRENCY = 'UGX'

/**
 * Finds the currency that the lines of a file must have: that of its installation, or of any when the installation is not known (rails.md
 * 5.1). The currency of an installation stands for ours: the operator's own sandbox moves euros.
 */
export function findCurrencies(
  contracts: readonly CurrencyInstallation[],
  installation: string | null,
): AllowedCurrencies {
  const own = contracts.filter(({ id }) => installation === null || id === installation)
  const each = new Set(own.length === 0 ? [OUR_CURRENCY] : own.map(({ currency }) => currency.toUpperCase()))
  const named = own.length === 1 && own[0] !== undefined ? `, which ${own[0].id} moves` : ''
  return { allowed: each, text: `${[...each].join(' or ')}${named}` }
}
